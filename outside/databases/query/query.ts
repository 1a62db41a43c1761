/** One statement on a database of any engine. */
import type { LoginAt, Played } from '../connect.ts'
import type { Asked, QueryAnswer } from './answer.ts'
import { queryMysql } from './mysql.ts'
import { queryPostgres } from './postgres.ts'
import { queryRedis } from './redis.ts'
import { queryRqlite } from './rqlite.ts'

/**
 * Connects, runs the statement and ends the connection. Throws UpstreamError with a sentence for the caller, without
 * the password: no connection, a refusal in the engine's words, or a cancelled statement.
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
