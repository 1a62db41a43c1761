/** A postgres that is filled, and written to while it is backed up. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'

export interface Reached {
  host: string
  port: number
  database: string
  user: string
  password: string
}

const restMs = 20
const rowBytes = 1024
const rowsAtOnce = 20_000

export async function withPostgres<T>(at: Reached, work: (db: Client) => Promise<T>): Promise<T> {
  const db = new Client({ ...at, connectionTimeoutMillis: 10_000 })
  await db.connect()
  try {
    return await work(db)
  } finally {
    await db.end()
  }
}

/** Rows of 1 KiB, of which half can be packed. */
export const fill = (at: Reached, mebibytes: number): Promise<void> =>
  withPostgres(at, async (db) => {
    await db.query('CREATE TABLE filled (id bigint PRIMARY KEY, word text)')
    await db.query('CREATE TABLE written (id bigserial PRIMARY KEY, at timestamptz DEFAULT now())')
    const rows = (mebibytes * 1024 * 1024) / rowBytes
    for (let from = 0; from < rows; from += rowsAtOnce)
      await db.query(
        `INSERT INTO filled SELECT id, (SELECT string_agg(md5(id::text || part), repeat('.', 32)) FROM generate_series(1, 16) part)
         FROM generate_series($1::bigint, $2::bigint) id`,
        [from + 1, Math.min(from + rowsAtOnce, rows)],
      )
  })

/** How many rows there are; two tables. */
export const count = (at: Reached): Promise<{ filled: number; written: number }> =>
  withPostgres(at, async (db) => {
    const { rows } = await db.query<{ filled: string; written: string }>(
      'SELECT (SELECT count(*) FROM filled) AS filled, (SELECT count(*) FROM written) AS written',
    )
    return { filled: Number(rows[0]?.filled), written: Number(rows[0]?.written) }
  })

export interface Writer {
  /** Milliseconds of the commits since the last call. */
  taken(): number[]
  /**
   * A second of the server's clock (RFC 3339) at which nothing is written, and the rows until then. Writing goes on
   * after it.
   */
  moment(): Promise<{ at: string; written: number }>
  stop(): Promise<void>
}

/** Commits a row, rests 20 ms, and so on, over one connection. */
export async function startWriter(at: Reached): Promise<Writer> {
  const db = new Client({ ...at, connectionTimeoutMillis: 10_000 })
  await db.connect()
  const commits: number[] = []
  let wanted = true
  let paused: Promise<unknown> = Promise.resolve()
  const write = async (): Promise<void> => {
    for (; wanted; await sleep(restMs)) {
      await paused
      const began = performance.now()
      await db.query('INSERT INTO written DEFAULT VALUES')
      commits.push(performance.now() - began)
    }
  }
  const writing = write()
  writing.catch(() => undefined) // `stop` throws what it ended with
  const quietMoment = async () => {
    await sleep(2 * restMs)
    await db.query('SELECT pg_sleep(1.1)')
    const { rows } = await db.query<{ at: string; written: string }>(
      `SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at, (SELECT count(*) FROM written) AS written`,
    )
    await db.query('SELECT pg_sleep(1.1)')
    return { at: rows[0]?.at ?? '', written: Number(rows[0]?.written) }
  }
  return {
    taken: () => commits.splice(0, commits.length),
    moment() {
      const next = quietMoment()
      paused = next.catch(() => undefined) // the caller gets the error
      return next
    },
    async stop() {
      wanted = false
      try {
        await writing
      } finally {
        await db.end()
      }
    },
  }
}
