/**
 * Bench 28: how long a read of metrics and of the history of logs takes, out of stores that hold a day of numbers and
 * lines, against the same queries put to the stores themselves, by turns.
 */
import type { Line } from '../rig/line.ts'
import type { Rig } from '../rig/rig.ts'
import { createProject, createServices, untilReady } from '../rig/services.ts'
import { describeMs, percentile } from '../rig/statistics.ts'
import { serviceQueries } from '../../kinds/metrics/queries.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { selectorOf } from '../../outside/logs/logql.ts'
import { fillLogs, fillMetrics, type Filled } from './stored-day.ts'

const bench = 28
const service = 'stored-1'
const rounds = { full: 100, quick: 20 }
/** Before they are timed: code that was called a few times is not compiled yet, and the store reads its files once. */
const warmUp = 10
/** The answer of svc is checked, typed and sent once more. */
const goal = { atMost: 2 }
const sizes = {
  full: { services: 50, points: 5760, lines: 4000 },
  quick: { services: 2, points: 240, lines: 100 },
}

interface Read {
  readonly what: string
  /** Of the api. */
  readonly path: string
  /** Throws for an answer that lacks what is stored. */
  readonly check: (answer: unknown) => void
  /** The same of the store itself; resolves when the whole answer is parsed. */
  readonly byHand: () => Promise<unknown>
}

export async function storedReads(rig: Rig, { quick }: { quick: boolean }): Promise<Line[]> {
  const { metrics, logs } = rig.stores
  const progress = { progress: (line: string) => void process.stderr.write(`  ${line}\n`) }
  await metrics.make([], progress)
  await logs.make({ ...progress, mayBuildStore: true })
  const project = await createProject(rig.client)
  await createServices(rig.client, project, [service])
  await untilReady(rig.client, project, 1)
  const filled: Filled = {
    namespace: namespaceOf(project, 'production'),
    service,
    now: Date.now(),
    ...(quick ? sizes.quick : sizes.full),
  }
  await fillMetrics(metrics.address, filled)
  await fillLogs(logs.address, filled)
  const reads = [
    metricsRead(metrics.address, filled, '1h', { seconds: 3_600, step: 60 }),
    metricsRead(metrics.address, filled, '24h', { seconds: 86_400, step: 1_440 }),
    logsRead(logs.address, filled, { project, q: '' }),
    logsRead(logs.address, filled, { project, q: 'order 17' }),
  ]
  const lines: Line[] = []
  for (const read of reads) lines.push(await compare(rig, read, quick ? rounds.quick : rounds.full))
  return lines
}

async function compare(rig: Rig, { what, path, check, byHand }: Read, times: number): Promise<Line> {
  const headers = { authorization: `Bearer ${rig.token}` }
  const own = async () => check(await json(rig.url + path, { headers }))
  const svcMs: number[] = []
  const byHandMs: number[] = []
  for (let round = 0; round < warmUp; round += 1) for (const read of [own, byHand]) await read()
  for (let round = 0; round < times; round += 1) {
    svcMs.push(await timed(own))
    byHandMs.push(await timed(byHand))
  }
  return {
    bench,
    work: `${what}: ${describeMs(svcMs)}`,
    peer: `the same queries of the store: ${describeMs(byHandMs)}`,
    ratio: percentile(svcMs, 0.95) / percentile(byHandMs, 0.95),
    goal,
    samples: { svcMs, byHandMs },
  }
}

function metricsRead(
  store: string,
  { namespace, now, services }: Filled,
  window: string,
  { seconds, step }: { seconds: number; step: number },
): Read {
  const end = Math.floor(now / 1000 / step) * step
  const range = { start: String(end - seconds), end: String(end), step: String(step) }
  return {
    what: `GET /apps/{name}/metrics?window=${window}, ${services} services with a day of numbers`,
    path: `/api/v1/apps/${service}/metrics?window=${window}`,
    check(answer) {
      const { available, series } = answer as { available: boolean; series: Record<string, unknown[]> }
      if (!available || (series['cpu']?.length ?? 0) === 0) throw new Error(`no numbers: ${JSON.stringify(answer)}`)
    },
    byHand: () =>
      Promise.all(
        Object.values(serviceQueries(namespace, service, step)).map((query) =>
          json(`${store}/api/v1/query_range`, { method: 'POST', body: new URLSearchParams({ query, ...range }) }),
        ),
      ),
  }
}

/** The newest 500 lines of a service within six hours. */
function logsRead(store: string, filled: Filled, { project, q }: { project: string; q: string }): Read {
  const limit = 500
  const seconds = 6 * 3_600
  const query = new URLSearchParams({
    query: selectorOf({ namespaces: [filled.namespace], service, q }),
    limit: String(limit + 1),
    direction: 'backward',
  })
  const asked = new URLSearchParams({ service, environment: 'production', limit: String(limit), since: '6h', q })
  return {
    what: `GET /projects/{project}/logs/history, ${q === '' ? 'newest 500' : `those with "${q}"`} of ${filled.services * filled.lines} lines`,
    path: `/api/v1/projects/${project}/logs/history?${asked.toString()}`,
    check(answer) {
      const { available, lines } = answer as { available: boolean; lines: unknown[] }
      if (!available || lines.length === 0) throw new Error(`no lines: ${JSON.stringify(answer).slice(0, 500)}`)
    },
    byHand: () => {
      const end = BigInt(Date.now()) * 1_000_000n
      query.set('end', String(end))
      query.set('start', String(end - BigInt(seconds) * 1_000_000_000n))
      return json(`${store}/loki/api/v1/query_range?${query.toString()}`)
    },
  }
}

async function json(url: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(url, init)
  if (!response.ok) throw new Error(`${url}: ${response.status} ${(await response.text()).slice(0, 500)}`)
  return await response.json()
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
