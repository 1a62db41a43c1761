/** A query on rqlite, by its HTTP interface: reads use the route that only reads. */
import { request } from 'undici'
import { z } from 'zod'
import { parsedBy } from '../../../contract/json/parsed-by.ts'
import { createGuard } from '../../guard.ts'
import { createGuardedAgent } from '../../guarded-agent.ts'
import { shortly, UpstreamError, whyUnanswered } from '../../upstream-error.ts'
import type { LoginAt, Played } from '../connect.ts'
import { type Asked, type Cell, type QueryAnswer, receivedBytes, refused, Rows } from './answer.ts'
import { oneStatement, whyNoRead } from './reads.ts'

/** Throws UpstreamError: no connection, a refusal in the words of rqlite, or a cancelled query. */
export async function queryRqlite(at: LoginAt, asked: Asked, played: Played = {}): Promise<QueryAnswer> {
  const { write } = asked
  const statement = oneStatement(asked.statement)
  if (statement === undefined) throw refused('a query is one statement')
  const why = write ? undefined : whyNoRead('sqlite', statement)
  if (why !== undefined) throw refused(why)
  const result = resultIn(await send(at, { ...asked, statement }, played))
  if (result.error !== undefined) throw refused(shortly(result.error, [at.password]))
  const { columns = [], types = [], values = [], rows_affected: affected } = result
  const rows = new Rows(asked.limits)
  for (const row of values) rows.add(() => row.map(cellOf), Buffer.byteLength(JSON.stringify(row)))
  // A write is done by now, whatever the length of the answer.
  if (!write) rows.complete(write)
  return {
    columns: columns.map((name, index) => ({ name, type: types[index] ?? '' })),
    rows: rows.kept,
    truncated: rows.truncated,
    ...(write && affected !== undefined ? { affected } : {}),
  }
}

/** The text of the answer. */
async function send(at: LoginAt, { statement, write, limits, signal }: Asked, played: Played): Promise<string> {
  const agent = createGuardedAgent(createGuard({ allowPrivate: true, ...played }))
  const timeOver = new AbortController()
  const timer = setTimeout(() => timeOver.abort(), limits.withinMs)
  const login = Buffer.from(`${at.username}:${at.password}`).toString('base64')
  const verb = write ? 'request' : 'query'
  try {
    const { statusCode, body } = await request(
      `http://${at.host}:${at.port}/db/${verb}?db_timeout=${limits.withinMs}ms`,
      {
        method: 'POST',
        dispatcher: agent,
        headers: { authorization: `Basic ${login}`, 'content-type': 'application/json' },
        body: JSON.stringify([statement]),
        signal: AbortSignal.any([signal, timeOver.signal]),
      },
    )
    const text = await textOf(body, receivedBytes(limits))
    if (statusCode !== 200) {
      // A wrong login is refused without a word.
      const said = shortly(text, [at.password]) || `the database answers with status ${statusCode}`
      throw refused(said, String(statusCode))
    }
    return text
  } catch (error) {
    if (signal.aborted) throw refused('the query was cancelled')
    if (timeOver.signal.aborted) throw refused(`the query took longer than ${limits.withinMs / 1000} seconds`)
    if (error instanceof UpstreamError) throw error
    const why = `${at.host} does not answer on port ${at.port}: ${whyUnanswered(error)}`
    throw new UpstreamError(0, '', why, true)
  } finally {
    clearTimeout(timer)
    await agent.destroy()
  }
}

async function textOf(body: AsyncIterable<Buffer>, most: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > most) throw refused(`the answer is larger than ${most / 1024} KiB; ask for fewer rows`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const resultShape = z.object({
  columns: z.array(z.string()).optional(),
  types: z.array(z.string()).optional(),
  values: z.array(z.array(z.unknown())).optional(),
  rows_affected: z.number().optional(),
  error: z.string().optional(),
})
const answerShape = z.object({ results: z.array(resultShape).default([]), error: z.string().optional() })

/** Numbers that JSON cannot hold exactly stay texts. */
function resultIn(text: string): z.output<typeof resultShape> {
  // The third argument is in Node 21 and later; TypeScript's library does not have it yet.
  const exact = (_: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
      ? (context?.source ?? value)
      : value
  const answer = parsedBy(answerShape, text, exact)
  if (answer === undefined) throw refused('what answers is not rqlite')
  const { results, error } = answer
  return error === undefined ? (results[0] ?? {}) : { error }
}

const cellOf = (value: unknown): Cell =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null
    ? value
    : JSON.stringify(value)
