/** The command line options of `npm run test:kill`. */
import { parseArgs } from 'node:util'

export interface KillOptions {
  /** Number of kills, one per seed. */
  runs: number
  seed: number
  results: string
  /** Skips seeds that have held before. */
  resume: boolean
  /** Kills at every write of every scenario instead of at random. */
  enumerate: boolean
  /** Maximum delay of watch events for api and worker, in milliseconds. */
  late: number
  /** What accepts the operations: real apis over HTTP, or bare processes with the api's records functions. */
  surface: Surface
  /**
   * The two workers run two releases whose histories are incompatible, and each kill moves the work to the other one.
   */
  releases: boolean
  /** Services that are changed at once, besides some 30 other records; undefined: as many as the promise speaks of. */
  services?: number
}

export type Surface = 'http' | 'records'

const seeds = 1_000_000

export const killHelp = `Usage: npm run test:kill -- [options]

Kills processes, servers and pods of backups under load, one kill a seed, and checks every ten that all promises held.

  --runs N             kills (20)
  --seed S             the first seed; the same seed kills at the same point
  --results FILE       where each result is kept (.svc/kill-results.jsonl)
  --resume             leave out seeds that have held before
  --enumerate          die before and after every write instead of at random
  --late MS            most by which what api and worker receive of the cluster is late (0)
  --surface http|records   accept operations by real apis, or by processes with their functions (http)
  --releases           two releases of the worker in turn
  --services N         services that are changed at once (20, with --releases 34)
`

/** Throws a plain sentence for invalid arguments; undefined when help is requested. */
export function killOptions(args: readonly string[], now: number): KillOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(now % seeds) },
      results: { type: 'string', default: '.svc/kill-results.jsonl' },
      resume: { type: 'boolean', default: false },
      late: { type: 'string', default: '0' },
      surface: { type: 'string', default: 'http' },
      enumerate: { type: 'boolean', default: false },
      releases: { type: 'boolean', default: false },
      services: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const { surface, help, services, ...flags } = values
  if (help) return undefined
  if (surface !== 'http' && surface !== 'records') throw new Error('--surface must be http or records')
  return {
    ...flags,
    surface,
    runs: wholeOf('runs', values.runs),
    seed: wholeOf('seed', values.seed),
    ...(services === undefined ? {} : { services: wholeOf('services', services) }),
    late: wholeOf('late', values.late),
  }
}

function wholeOf(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${name} must be a whole number`)
  return Number(text)
}
