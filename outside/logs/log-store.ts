/** Reads the history of logs from a store with Loki's HTTP API: one query, newest lines first, and its failures. */
import { z } from 'zod'
import { selectorOf, type HistoryFilter } from './logql.ts'
import { defined } from '../../contract/defined.ts'

export interface LogStore {
  /** Newest first, at most `limit`; fewer mean that there are no more. Throws LogStoreFailed. */
  read(page: HistoryPage, signal: AbortSignal): Promise<StoredLine[]>
}

export interface HistoryPage extends HistoryFilter {
  /** Nanoseconds since 1970; `from` is included, `to` is not. */
  readonly from: bigint
  readonly to: bigint
  readonly limit: number
}

export interface StoredLine {
  /** Nanoseconds since 1970. */
  readonly at: bigint
  readonly pod: string
  readonly container: string
  readonly line: string
}

/** The message is for callers; the cause, which may name addresses, is for the log. */
export class LogStoreFailed extends Error {}

/** The limit for the length of an answer. */
const answerBytesMax = 32 * 1024 * 1024

const answer = z.object({
  data: z.object({
    resultType: z.literal('streams'),
    result: z.array(
      z.object({
        stream: z.record(z.string(), z.string()),
        values: z.array(z.tuple([z.string().regex(/^\d+$/), z.string()]).rest(z.unknown())),
      }),
    ),
  }),
})

/**
 * @param url the store's address; `https://user:password@host/path` signs in
 * @param tenant for a store with several tenants (`X-Scope-OrgID`)
 */
export function createLogStore({ url, tenant }: { url: string; tenant?: string | undefined }): LogStore {
  const { base, headers } = endpoint(url, tenant)
  return {
    async read(page, signal) {
      const query = new URLSearchParams({
        query: selectorOf(page),
        start: String(page.from),
        end: String(page.to),
        limit: String(page.limit),
        direction: 'backward',
      })
      const text = await ask(`${base}/loki/api/v1/query_range?${query.toString()}`, headers, signal)
      return linesOf(text)
    },
  }
}

/** `fetch` takes no credentials in an address. */
function endpoint(url: string, tenant: string | undefined): { base: string; headers: Record<string, string> } {
  const { username, password, origin, pathname } = new URL(url)
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return {
    base: origin + pathname.replace(/\/+$/, ''),
    headers: {
      accept: 'application/json',
      ...(username === '' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` }),
      ...defined({ 'x-scope-orgid': tenant }),
    },
  }
}

async function ask(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<string> {
  try {
    const response = await fetch(url, { headers, signal, redirect: 'error' })
    const text = await readAtMost(response, answerBytesMax)
    // A 400 repeats the query, and with it the search text.
    if (!response.ok)
      throw new LogStoreFailed(
        `the log store answered ${response.status}`,
        response.status === 400 ? {} : { cause: text.slice(0, 500) },
      )
    return text
  } catch (error) {
    if (error instanceof LogStoreFailed || signal.aborted) throw error
    throw new LogStoreFailed('the log store cannot be reached', { cause: error })
  }
}

async function readAtMost(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const body: AsyncIterable<Uint8Array> | [] = response.body ?? []
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new LogStoreFailed('the log store answered with too much; ask for fewer lines')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function linesOf(text: string): StoredLine[] {
  const parsed = answer.safeParse(jsonOf(text))
  if (!parsed.success)
    throw new LogStoreFailed('the log store answered with something else than log lines', { cause: parsed.error })
  const lines = parsed.data.data.result.flatMap(({ stream, values }) =>
    values.map(([at, line]) => ({
      at: BigInt(at),
      pod: stream['pod'] ?? '',
      container: stream['container'] ?? '',
      line,
    })),
  )
  return lines.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // the schema refuses undefined
  }
}
