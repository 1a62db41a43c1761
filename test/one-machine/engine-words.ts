/** Writes a word into each engine and reads it again, as services do. */
import { Socket } from 'node:net'
import { createConnection as connectMysql } from 'mysql2/promise'
import { Client as Postgres } from 'pg'
import type { View } from '../../contract/operations.ts'

export type Reached = Pick<View<'databases.connection'>, 'host' | 'port' | 'database' | 'username'> & {
  password: string
}
export type Engine = 'postgres' | 'mysql' | 'redis' | 'sqlite'

/** A connection to a pod that was just deleted never gets an answer: it is tried again. */
const answerMs = 5_000

/** Writes a value into each engine and reads it again, from this machine without the Service. */
export const engines: Record<Engine, { put(at: Reached): Promise<void>; take(at: Reached): Promise<string> }> = {
  postgres: {
    put: (at) =>
      withPostgres(
        at,
        async (db) => void (await db.query("CREATE TABLE kept (word text); INSERT INTO kept VALUES ('otter')")),
      ),
    take: (at) =>
      withPostgres(at, async (db) => String((await db.query<{ word: string }>('SELECT word FROM kept')).rows[0]?.word)),
  },
  mysql: {
    put: async (at) => {
      await askMysql(at, 'CREATE TABLE kept (word VARCHAR(20))')
      await askMysql(at, "INSERT INTO kept VALUES ('otter')")
    },
    take: async (at) => JSON.stringify(await askMysql(at, 'SELECT word FROM kept')).replaceAll(/[^a-z]|word/g, ''),
  },
  redis: {
    put: async (at) => void (await askRedis(at, 'SET kept otter')),
    take: (at) => askRedis(at, 'GET kept'),
  },
  sqlite: {
    put: async (at) =>
      void (await askRqlite(at, 'execute', ['CREATE TABLE kept (word TEXT)', "INSERT INTO kept VALUES ('otter')"])),
    take: async (at) =>
      /"values":\[\["([a-z]+)"\]\]/.exec(await askRqlite(at, 'query', ['SELECT word FROM kept']))?.[1] ?? '',
  },
}

export async function withPostgres<T>(
  { host, port, database, username: user, password }: Reached,
  work: (db: Postgres) => Promise<T>,
): Promise<T> {
  const db = new Postgres({ host, port: Number(port), database, user, password, connectionTimeoutMillis: answerMs })
  await db.connect()
  try {
    return await work(db)
  } finally {
    await db.end()
  }
}

async function askMysql({ host, port, database, username: user, password }: Reached, sql: string): Promise<unknown> {
  const db = await connectMysql({ host, port: Number(port), database, user, password, connectTimeout: answerMs })
  try {
    return (await db.query(sql))[0]
  } finally {
    await db.end()
  }
}

/** The answer to one command after the login, without its type prefix. */
function askRedis({ host, port, password }: Reached, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = new Socket()
    let said = ''
    socket.setTimeout(answerMs, () => socket.destroy(new Error('redis does not answer')))
    socket.on('data', (data) => (said += String(data)))
    socket.once('error', reject)
    socket.once('close', () => {
      const lines = said.split('\r\n').filter((line) => line !== '')
      if (lines[0] !== '+OK') reject(new Error(`redis refused the login: ${lines[0]}`))
      else resolve(lines.find((line) => /^[a-z]/.test(line)) ?? '')
    })
    socket.connect(Number(port), host, () => socket.write(`AUTH ${password}\r\n${command}\r\nQUIT\r\n`))
  })
}

async function askRqlite(
  { host, port, username, password }: Reached,
  verb: 'execute' | 'query',
  statements: string[],
): Promise<string> {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const answer = await fetch(`http://${host}:${port}/db/${verb}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(statements),
    signal: AbortSignal.timeout(answerMs),
  })
  const text = await answer.text()
  if (!answer.ok || text.includes('"error"')) throw new Error(`rqlite answers ${answer.status}: ${text}`)
  return text
}
