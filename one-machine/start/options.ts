/** The options of `npm start -- …`, their checks and their help. */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { portMax } from '../../contract/limits.ts'

export const clusterKinds = ['node', 'simulated', 'kubeconfig'] as const
export type ClusterKind = (typeof clusterKinds)[number]

export interface StartOptions {
  /** Undefined: the last kind of cluster, else a real node where the machine allows it. */
  readonly cluster?: ClusterKind
  /** host:port */
  readonly temporal?: string
  readonly takeOver: boolean
  readonly dataDir: string
  readonly port: number
  readonly reset: boolean
  readonly demo: boolean
  /** The serverless add-on, which later starts bring back without being asked. */
  readonly serverless: boolean
  /** The log store, also where Loki has to be built. */
  readonly logStore: boolean
  /** The git server, which later starts bring back without being asked. */
  readonly gitServer: boolean
  readonly yes: boolean
  /** An edit restarts the processes of svc that load the file. */
  readonly watch: boolean
}

/** An error in the command line: one sentence, no stack. */
export class UsageError extends Error {}

const defaultPort = 8085

export const startHelp = `Usage: npm start -- [options]

Starts svc on this machine: a Kubernetes cluster, Temporal, the api and the worker, all on loopback.
Ctrl-C stops everything; what was deployed comes back at the next start.

  --cluster node        a real Kubernetes node in namespaces of its own (Linux, root); the default where it can be had
  --cluster simulated   real Kubernetes servers whose pods are only played; the default elsewhere
  --cluster kubeconfig  your cluster, found as kubectl finds it (KUBECONFIG); svc installs its resource definitions and
                        its namespace svc-system there, after asking
  --temporal ADDRESS    your Temporal server (host:port) instead of one of svc's own
  --take-over           work on your cluster although it was last served with another Temporal, which must be stopped
  --data DIR            where everything is kept (default \${XDG_DATA_HOME:-~/.local/share}/svc)
  --port PORT           port of the api and the dashboard (default ${defaultPort})
  --reset               forget everything in the data directory first
  --demo                deploy a sample service; on a real node also one that is built from git, and one with a database
  --serverless          services may sleep when idle: brings the interceptor of KEDA's HTTP add-on, in the background,
                        to a node of svc's own; later starts bring it back by themselves
  --log-store           keep a history of logs also where Loki is neither on this machine nor to be downloaded: it is
                        built in the background, which takes minutes once; later starts bring it back by themselves
  --git-server          serve git repositories of this machine, the sample's among them, to builds on a node of svc's own
                        and to who works here; later starts bring it back by themselves
  --watch               start the api or the worker again when a file that it loads is edited; \`npm run dev\` is that
  --yes                 answer every question with yes
  --help                this text
`

const optionTypes = {
  cluster: { type: 'string' },
  temporal: { type: 'string' },
  'take-over': { type: 'boolean' },
  data: { type: 'string' },
  port: { type: 'string' },
  reset: { type: 'boolean' },
  demo: { type: 'boolean' },
  serverless: { type: 'boolean' },
  'log-store': { type: 'boolean' },
  'git-server': { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  watch: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: optionTypes, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]}; npm start -- --help lists the options`, {
      cause: error,
    })
  }
}

function readCluster(value: string): ClusterKind {
  const kind = clusterKinds.find((known) => known === value)
  if (kind === undefined) throw new UsageError(`--cluster must be one of ${clusterKinds.join(', ')}`)
  return kind
}

function readPort(value: string | undefined): number {
  const port = Number(value ?? defaultPort)
  if (!Number.isInteger(port) || port < 1 || port > portMax)
    throw new UsageError(`--port must be a number from 1 to ${portMax}`)
  return port
}

function readAddress(value: string): string {
  if (!/^[^\s:/]+:\d{1,5}$/.test(value)) throw new UsageError('--temporal must be an address such as 127.0.0.1:7233')
  return value
}

/** Options of the command line, or 'help'. Throws UsageError. */
export function readStartOptions(args: readonly string[], env: NodeJS.ProcessEnv): StartOptions | 'help' {
  const values = parse(args)
  if (values.help === true) return 'help'
  const dataHome = env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share')
  return {
    ...(values.cluster === undefined ? {} : { cluster: readCluster(values.cluster) }),
    ...(values.temporal === undefined ? {} : { temporal: readAddress(values.temporal) }),
    takeOver: values['take-over'] ?? false,
    dataDir: resolve(values.data ?? join(dataHome, 'svc')),
    port: readPort(values.port),
    reset: values.reset ?? false,
    demo: values.demo ?? false,
    serverless: values.serverless ?? false,
    logStore: values['log-store'] ?? false,
    gitServer: values['git-server'] ?? false,
    yes: values.yes ?? false,
    watch: values.watch ?? false,
  }
}
