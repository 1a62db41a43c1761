/** One statement on a database of any engine. */
import type { LoginAt, Played } from '../connect.ts'
import type { Asked, QueryAnswer } from './answer.ts'
import { queryMysql } from './mysql.ts'
import { queryPostgres } from './postgres.ts'
import { queryRedis } from './redis.ts'
import { queryRqlite } from './rqlite.ts'

/**
 * Connects, runs the statement and ends the connection. Throws UpstreamError with a sentence for the caller, in which
 * the password does not stand: no connection, a refusal in the words of the engine, a statement that was cancelled.
 */
export async function runQuery(
  engine: keyof typeof engines,
  at: LoginAt,
  asked: Asked,
  played: Played = {},
): Promise<QueryAnswer> {
  return await engines[engine](at, asked, played)
}

const engines = { postgres: queryPostgres, mysql: queryMysql, redis: queryRedis, sqlite: queryRqlite } as const
