/** Checks a login at a postgres or mysql server, with one connection and one query. */
import type { Socket } from 'node:net'
import type { SqlEngine } from '../../kinds/sql-engines.ts'
import { connectMysql, connectPostgres, loginError, type LoginAt, type Played } from './connect.ts'

/**
 * Throws UpstreamError: the server's answer to the login, or `passing` when it does not answer. Its message contains no
 * password.
 */
export async function tryLogin(engine: SqlEngine, at: LoginAt, withinMs: number, played: Played = {}): Promise<void> {
  try {
    await (engine === 'postgres' ? tryPostgres(at, withinMs, played) : tryMysql(at, withinMs, played))
  } catch (error) {
    throw loginError(engine, at, error)
  }
}

async function tryPostgres(at: LoginAt, withinMs: number, played: Played): Promise<void> {
  const { client, socket } = await connectPostgres(at, withinMs, played)
  const late = endLate(socket, withinMs)
  try {
    await client.query('SELECT 1')
  } finally {
    await client.end().catch(() => undefined)
    clearTimeout(late)
  }
}

async function tryMysql(at: LoginAt, withinMs: number, played: Played): Promise<void> {
  const { client, socket } = await connectMysql(at, withinMs, played)
  const late = endLate(socket, withinMs)
  try {
    await client.query('SELECT 1')
  } finally {
    client.destroy()
    clearTimeout(late)
  }
}

/** The limit of the login ends with the login; a server that accepted it may still never answer the query. */
const endLate = (socket: Socket, withinMs: number): NodeJS.Timeout =>
  setTimeout(() => socket.destroy(new Error('no answer in time')), withinMs)
