/** Queries a metrics store through the HTTP API of Prometheus, which Thanos, Mimir and VictoriaMetrics also have. */
import { type Agent, request } from 'undici'
import { reachOf } from '../addresses.ts'
import { createGuard, type GuardOptions } from '../guard.ts'
import { createGuardedAgent } from '../guarded-agent.ts'

/** One value at one moment: `t` in unix seconds. */
export interface Point {
  readonly t: number
  readonly v: number
}

/** The value of a labelled series at one moment. */
export interface Labelled {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Unix seconds. */
export interface Range {
  readonly start: number
  readonly end: number
  readonly step: number
}

export interface MetricsStore {
  /** The points of the query's only series; none when there is no such series. Throws MetricsUnavailable. */
  range(query: string, range: Range): Promise<Point[]>
  /** The current value of every series of the query. Throws MetricsUnavailable. */
  instant(query: string): Promise<Labelled[]>
}

/** The store is absent, slow or broken; the message is for callers and contains no address. */
export class MetricsUnavailable extends Error {}

export interface PrometheusOptions {
  /** Base address, read again for each query; undefined when none is configured. */
  readonly address: () => string | undefined
  /** Limit of each answer, in milliseconds. */
  readonly withinMs?: number
  /** The class of an address; a test replaces it. */
  readonly reach?: GuardOptions['reach']
}

const answerWithinMs = 5_000
/** A series of a day has 61 points; a far longer answer does not belong to our queries. */
const answerBytes = 8 * 1024 * 1024

type Sample = readonly [number, string]
interface Answer {
  readonly status: string
  readonly data?: {
    readonly result?: readonly {
      readonly metric?: Record<string, string>
      readonly values?: readonly Sample[]
      readonly value?: Sample
    }[]
  }
}

export function createPrometheus({
  address,
  withinMs = answerWithinMs,
  reach = reachOf,
}: PrometheusOptions): MetricsStore {
  // The store may be in the private network; link-local addresses, where clouds serve credentials, have none.
  const agent = createGuardedAgent(createGuard({ allowPrivate: true, reach }))
  const ask = async (path: string, fields: Record<string, string>) => {
    const base = address()
    if (base === undefined) throw new MetricsUnavailable('no metrics store is configured')
    return await resultOf(agent, base, path, fields, withinMs)
  }
  return {
    async range(query, { start, end, step }) {
      const [series] = await ask('query_range', { query, start: String(start), end: String(end), step: String(step) })
      return (series?.values ?? []).map(toPoint).filter(({ v }) => Number.isFinite(v))
    },
    async instant(query) {
      const series = await ask('query', { query })
      return series
        .map(({ metric = {}, value }) => ({ labels: metric, value: Number(value?.[1]) }))
        .filter(({ value }) => Number.isFinite(value))
    },
  }
}

const toPoint = ([t, v]: Sample): Point => ({ t, v: Number(v) })

async function resultOf(agent: Agent, base: string, path: string, fields: Record<string, string>, withinMs: number) {
  const late = AbortSignal.timeout(withinMs)
  try {
    const url = new URL(`${base.replace(/\/+$/, '')}/api/v1/${path}`)
    const { statusCode, body } = await request(url, {
      method: 'POST', // queries can be too long for a URL
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(fields).toString(),
      signal: late,
      dispatcher: agent,
    })
    const text = await readText(body)
    if (statusCode !== 200) throw new MetricsUnavailable(`the metrics store answered ${statusCode}`)
    const { status, data } = JSON.parse(text) as Answer // the fields in use are checked below
    if (status !== 'success' || !Array.isArray(data?.result))
      throw new MetricsUnavailable('the metrics store answered something else than Prometheus does')
    return data.result as NonNullable<NonNullable<Answer['data']>['result']> // Array.isArray drops readonly
  } catch (error) {
    if (error instanceof MetricsUnavailable) throw error
    if (late.aborted)
      throw new MetricsUnavailable(`the metrics store did not answer within ${withinMs / 1000} s`, { cause: error })
    if (error instanceof SyntaxError)
      throw new MetricsUnavailable('the metrics store answered something else than Prometheus does', { cause: error })
    throw new MetricsUnavailable('the metrics store cannot be reached', { cause: error })
  }
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > answerBytes) throw new MetricsUnavailable('the answer of the metrics store is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
