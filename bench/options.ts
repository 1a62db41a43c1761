/** The options of `npm run bench -- …`. */
import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** Numbers of the benches to run; empty: all. */
  readonly only: readonly number[]
  /** Small counts: shows in about a minute that every bench works, measures nothing worth keeping. */
  readonly quick: boolean
  readonly cluster: 'simulated' | 'node'
  /**
   * Ready services that bench 4, 6, 15 and 16 want; bench 2 deploys a quarter of them at once. Fewer on a machine that
   * is short of time.
   */
  readonly services: number
}

const standardServices = 2000
const quickServices = 20
const lastBench = 29
/** Those that need a real node, and those that it runs at all. */
const ofNodeAlone = [21, 22, 25, 26, 27]
const ofNode = [1, ...ofNodeAlone]

export const benchHelp = `Usage: npm run bench -- [--only N[,N…]] [--quick] [--services N] [--cluster simulated|node]

Measures svc against its peers, all in one run on this machine: the ratios count, not the digits.
  1 deploy to ready, and its part beyond the rollout, against kubectl apply and kubectl rollout status
  2 500 new services deployed at once (a quarter of --services)
  3 reads with 1,000 services, against a bare Koa that sends the same bytes
  4 idle cost with 2,000 ready services (--services N)
  5 resume after kill -9 of the worker
  6 memory of api and worker per 1,000 services
  7 bootstrap with 1,000 services, against a bare Koa that sends the same bytes
  8 200 callers mixed over the ten commonest reads, against a bare Koa that sends the same bytes
  9 1,000 listeners of the change stream: delay and memory
  10 100 buckets asked for at once, until all are ready
  11 50 logical databases on the shared server at once
  12 a postgres from draft to a connection, against kubectl apply and kubectl rollout status of the same objects
  13 idle cost with 1,000 ready logical databases
  14 a signed-in reader while passwords and tokens that nobody has are tried, against the same reader alone
  15 running services deployed with another image at once (--services N)
  16 starts, rest, memory and a burst with very many services; only when named, as --only 16 --services 10000
  17 a tool call of an agent, against the same call by the typed client; memory of 100 agents
  18 svc version without a service, as a bundle and as an executable, against node -e 0
  19 the end of svc deploy --wait, against the moment at which the status says ready
  20 the page of a project with 1,000 services in a browser: first view, changes, filter, scrolling, heap
  21 a function from draft to its first answer, against kubectl apply of the same objects; --cluster node only
  22 a request that wakes a sleeping service, to its first byte, against a copy started by hand; --cluster node only
  23 how late runs of 500 schedules of the same second arrive
  24 idle cost with 1,000 schedules
  25 a push of a small change to ready, against buildctl, kubectl set image and rollout status; --cluster node only
  26 ten builds at once, and a build of a minute against the same by hand; --cluster node only
  27 backups of 2 GiB of postgres under write load, and restores, against the plain tools; --cluster node only
  28 reads of metrics and of the history of logs out of stores that hold a day, against the same queries of the stores;
     only when named: Loki may have to be built, which takes minutes
  29 running services deployed with another image at once (a tenth of --services), by one worker and by two
--cluster node runs bench 1, 21, 22, 25, 26 and 27 on a real Kubernetes node. Results: bench/results/<date>.json and .md (not with --quick).
`

/** Throws a plain sentence for an option that is not understood. */
export function readBenchOptions(args: readonly string[]): BenchOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean' },
      cluster: { type: 'string' },
      services: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) return 'help'
  const cluster = values.cluster ?? 'simulated'
  if (cluster !== 'simulated' && cluster !== 'node') throw new Error('--cluster must be simulated or node')
  const only = values.only === undefined ? [] : values.only.split(',').map(Number)
  if (only.some((number) => !Number.isInteger(number) || number < 1 || number > lastBench))
    throw new Error(`--only takes numbers from 1 to ${lastBench}`)
  const quick = values.quick ?? false
  const services = Number(values.services ?? (quick ? quickServices : standardServices))
  if (!Number.isInteger(services) || services < 4 || services > 10_000)
    throw new Error('--services takes a number from 4 to 10000')
  return { only: chosen(only, cluster), quick, cluster, services }
}

/** Throws a plain sentence for a bench that this kind of cluster cannot run. */
function chosen(only: readonly number[], cluster: 'simulated' | 'node'): readonly number[] {
  if (cluster === 'node' && only.length === 0) return ofNode
  const runs = (number: number): boolean =>
    cluster === 'node' ? ofNode.includes(number) : !ofNodeAlone.includes(number)
  const wrong = only.find((number) => !runs(number))
  if (wrong !== undefined) throw new Error(`bench ${wrong} does not run with --cluster ${cluster}`)
  return only
}
