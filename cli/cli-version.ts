/** The program's own version; the bundle is made with it, a run from the sources says `dev`. */

export const cliVersion = process.env.SVC_CLI_VERSION ?? 'dev'
export const userAgent = `svc/${cliVersion}`
