/**
 * One statement in the extended protocol of postgres, which refuses a second statement in the same text. The server
 * sends only as many rows as are requested, and keeps the others.
 */
import type { Connection, Submittable } from 'pg'
import { type Cell, type QueryLimits, refused, Rows } from './answer.ts'

/** Members of the client in this release; its types are those of an older one. */
interface Wire {
  parse(query: { name: string; text: string }): void
  bind(config: { portal: string; statement: string; values: [] }): void
  describe(message: { type: 'P'; name: string }): void
  execute(config: { portal: string; rows: number }): void
  sync(): void
  sendCopyFail(why: string): void
}

interface Field {
  name: string
  dataTypeID: number
}

/** `finished` settles when the server is ready for the next statement. */
export class PostgresStatement implements Submittable {
  readonly rows: Rows
  fields: readonly Field[] = []
  /** Rows that a statement has written. */
  affected: number | undefined
  readonly finished: Promise<void>
  readonly #text: string
  readonly #limits: QueryLimits
  #outcome: { resolve: () => void; reject: (error: Error) => void }
  readonly #hangUp: () => void

  /** @param hangUp ends the connection of an answer that is not wanted to its end */
  constructor(text: string, limits: QueryLimits, hangUp: () => void) {
    this.#text = text
    this.#limits = limits
    this.#hangUp = hangUp
    this.rows = new Rows(limits)
    const { promise, ...outcome } = Promise.withResolvers<void>()
    this.finished = promise
    this.#outcome = outcome
  }

  submit(connection: Connection): void {
    const wire = connection as Connection & Wire
    wire.parse({ name: '', text: this.#text })
    wire.bind({ portal: '', statement: '', values: [] })
    wire.describe({ type: 'P', name: '' })
    wire.execute({ portal: '', rows: this.#limits.rows + 1 })
    wire.sync()
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.fields = fields
  }

  handleDataRow({ fields, length }: { fields: (string | null)[]; length: number }): void {
    this.rows.add(() => fields.map((text, at) => cellOf(text, this.fields[at]?.dataTypeID ?? 0)), length)
  }

  handleCommandComplete({ text }: { text: string }): void {
    const [, count] = /^(?:INSERT \d+|UPDATE|DELETE|MERGE|COPY) (\d+)$/.exec(text) ?? []
    if (count !== undefined) this.affected = Number(count)
  }

  handlePortalSuspended(): void {} // the answer has more rows than asked for
  handleEmptyQuery(): void {} // an answer without columns

  /** The server skips the sync that came with the statement while it waits for data. */
  handleCopyInResponse(connection: Connection): void {
    const wire = connection as Connection & Wire
    wire.sendCopyFail('no data can be sent with a query')
    wire.sync()
  }

  handleCopyData(): void {
    this.#outcome.reject(refused('COPY TO STDOUT is no query; select the rows'))
    this.#hangUp()
  }

  handleError(error: Error): void {
    this.#outcome.reject(error)
  }

  handleReadyForQuery(): void {
    this.#outcome.resolve()
  }
}

/** Object ids of the types whose values JSON holds exactly (pg_type.dat). */
const bool = 16
const numbers: ReadonlySet<number> = new Set([21, 23, 26, 700, 701]) // int2, int4, oid, float4, float8

/** bigint, numeric and all other types stay in the text form of postgres, and so do `NaN` and `Infinity`. */
function cellOf(text: string | null, type: number): Cell {
  if (text === null) return null
  if (type === bool) return text === 't'
  const value = numbers.has(type) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : text
}
