/** Parses `host:port` in an environment variable of a process. */
import { portMax } from '../../contract/limits.ts'

/** The address in the variable `name`, else the usual one. Throws for a text that is no address. */
export function addressIn(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  usual: string,
): { host: string; port: number } {
  const [, host = '', port = ''] = /^([a-z0-9.-]+):(\d{1,5})$/.exec(env[name] ?? usual) ?? []
  if (host === '' || Number(port) < 1 || Number(port) > portMax)
    throw new Error(`${name} is "${env[name]}", which is no address such as ${usual}`)
  return { host, port: Number(port) }
}
