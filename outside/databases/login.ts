/** Checks a login at a postgres or mysql server, with one connection and one query. */

import { connectMysql, connectPostgres, loginError, type LoginAt, type Played } from './connect.ts'

/**
 * Throws UpstreamError: the server's answer to the login, or `passing` when it does not answer. Its message contains no
 * password.
 */
export async function tryLogin(
  engine: 'postgres' | 'mysql',
  at: LoginAt,
  withinMs: number,
  played: Played = {},
): Promise<void> {
  try {
    await (engine === 'postgres' ? tryPostgres(at, withinMs, played) : tryMysql(at, withinMs, played))
  } catch (error) {
    throw loginError(engine, at, error)
  }
}

async function tryPostgres(at: LoginAt, withinMs: number, played: Played): Promise<void> {
  const { client } = await connectPostgres(at, withinMs, played)
  try {
    await client.query('SELECT 1')
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function tryMysql(at: LoginAt, withinMs: number, played: Played): Promise<void> {
  const { client } = await connectMysql(at, withinMs, played)
  try {
    await client.query('SELECT 1')
  } finally {
    client.destroy()
  }
}
