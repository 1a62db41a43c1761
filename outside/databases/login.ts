/** Whether a login works at a postgres or mysql server somewhere: one connection, one question, closed again. */

import { createConnection } from 'mysql2/promise'
import { Client } from 'pg'
import { OutsideTrouble, shortly, whyUnanswered } from '../trouble.ts'

export interface LoginAt {
  host: string
  port: number
  /** '' where the engine lets one in without naming any. */
  database: string
  username: string
  password: string
}

/** Throws OutsideTrouble: what the server said to the login, or that it does not answer (`passing`). No password is in its message. */
export async function tryLogin(engine: 'postgres' | 'mysql', at: LoginAt, withinMs: number): Promise<void> {
  try {
    await (engine === 'postgres' ? tryPostgres(at, withinMs) : tryMysql(at, withinMs))
  } catch (error) {
    const { code, message = '' } = error as { code?: unknown; message?: string } // what both clients throw
    if (refuses(engine, code)) throw new OutsideTrouble(0, String(code), `the server refuses the login: ${shortly(message, [at.password])}`, false)
    throw new OutsideTrouble(0, typeof code === 'string' ? code : '', `${at.host} does not answer on port ${at.port}: ${whyUnanswered(error)}`, true)
  }
}

/** TLS where the server has it, as its own clients prefer it; the certificate of a private server is nobody's business here. */
async function tryPostgres({ host, port, database, username: user, password }: LoginAt, withinMs: number): Promise<void> {
  const ask = async (ssl: false | { rejectUnauthorized: false }): Promise<void> => {
    const client = new Client({ host, port, user, password, ssl, connectionTimeoutMillis: withinMs, ...(database === '' ? {} : { database }) })
    client.on('error', () => undefined) // a connection that breaks afterwards is of no interest
    try {
      await client.connect()
      await client.query('SELECT 1')
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  await ask({ rejectUnauthorized: false }).catch((error: unknown) => {
    if (error instanceof Error && error.message === 'The server does not support SSL connections') return ask(false)
    throw error
  })
}

async function tryMysql({ host, port, database, username: user, password }: LoginAt, withinMs: number): Promise<void> {
  const client = await createConnection({ host, port, user, password, connectTimeout: withinMs, ...(database === '' ? {} : { database }) })
  try {
    await client.query('SELECT 1')
  } finally {
    client.destroy()
  }
}

/** Classes 28 and 3D of SQL's codes: who asks, and for what. */
function refuses(engine: 'postgres' | 'mysql', code: unknown): boolean {
  if (typeof code !== 'string') return false
  return engine === 'postgres' ? /^(28|3D)/.test(code) : ['ER_ACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR', 'ER_BAD_DB_ERROR'].includes(code)
}
