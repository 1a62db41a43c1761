/** The options of `npm run bench -- …`. */
import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** Numbers of the benches to run; empty: all. */
  readonly only: readonly number[]
  /** Small counts: shows in about a minute that every bench works, measures nothing worth keeping. */
  readonly quick: boolean
  readonly cluster: 'simulated' | 'node'
}

export const benchHelp = `Usage: npm run bench -- [--only N[,N…]] [--quick] [--cluster simulated|node]

Measures svc against its peers, all in one run on this machine: the ratios count, not the digits.
  1 deploy to ready, against kubectl apply and kubectl rollout status
  2 500 new services deployed at once
  3 reads, against a bare Koa that sends the same bytes
  4 idle cost with 2,000 ready services
  5 resume after kill -9 of the worker
  6 memory of api and worker per 1,000 services
--cluster node runs bench 1 on a real Kubernetes node. Results: bench/results/<date>.json and .md (not with --quick).
`

/** Throws a plain sentence for an option that is not understood. */
export function readBenchOptions(args: readonly string[]): BenchOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: 'string' }, quick: { type: 'boolean' }, cluster: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help === true) return 'help'
  const cluster = values.cluster ?? 'simulated'
  if (cluster !== 'simulated' && cluster !== 'node') throw new Error('--cluster must be simulated or node')
  const only = values.only === undefined ? [] : values.only.split(',').map(Number)
  if (only.some((number) => !Number.isInteger(number) || number < 1 || number > 6)) throw new Error('--only takes numbers from 1 to 6')
  return { only: cluster === 'node' ? [1] : only, quick: values.quick ?? false, cluster }
}
