/** The answer to one statement, kept within its limits. */
import { UpstreamError } from '../../upstream-error.ts'

/** A value of an answer; a number that JSON cannot hold exactly is a text. */
export type Cell = string | number | boolean | null

export interface Column {
  readonly name: string
  /** In the engine's words, such as `timestamp with time zone`. */
  readonly type: string
}

export interface QueryAnswer {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
  /** The answer has more rows than these. */
  readonly truncated: boolean
  /** Rows that a write changed, where the engine counts them. */
  readonly affected?: number
}

export interface QueryLimits {
  /** Milliseconds that the statement may take. */
  readonly withinMs: number
  readonly rows: number
  /** Bytes of all values together. */
  readonly bytes: number
}

/** One statement, and whether it may write. */
export interface Asked {
  readonly statement: string
  /** Without it nothing is written, by the means of the engine. */
  readonly write: boolean
  readonly limits: QueryLimits
  /** Fires when the caller goes away. */
  readonly signal: AbortSignal
}

/** The statement was refused, by svc or by the engine; the message is for the caller. */
export const refused = (message: string, code = ''): UpstreamError => new UpstreamError(0, code, message, false)

/** How many bytes a connection may receive for an answer of so many bytes: each value comes in a frame. */
export const receivedBytes = ({ bytes }: QueryLimits): number => 4 * bytes + 1024 * 1024

/** The rows of an answer as they arrive. */
export class Rows {
  readonly kept: Cell[][] = []
  truncated = false
  readonly #limits: QueryLimits
  #bytes = 0

  constructor(limits: QueryLimits) {
    this.#limits = limits
  }

  /** Whether the row still fits; the answer is complete without the rows after the first that does not. */
  add(row: () => Cell[], bytes: number): boolean {
    if (this.truncated) return false
    this.#bytes += bytes
    this.truncated = this.kept.length === this.#limits.rows || this.#bytes > this.#limits.bytes
    if (!this.truncated) this.kept.push(row())
    return !this.truncated
  }

  /**
   * Throws UpstreamError for an answer of which nothing fits, and for a write whose answer does not fit: it is rolled
   * back rather than half seen.
   */
  complete(write: boolean): void {
    if (!this.truncated) return
    if (write) throw refused(`${tooLarge(this.#limits)}; nothing was written`)
    if (this.kept.length === 0) throw refused(tooLarge(this.#limits))
  }
}

const tooLarge = ({ rows, bytes }: QueryLimits): string =>
  `the answer is larger than ${rows} rows or ${bytes / 1024} KiB`
