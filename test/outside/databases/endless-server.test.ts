/** A database server elsewhere that says more than was asked, before and after it lets in. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import { tryLogin } from '../../../outside/databases/login.ts'
import { runQuery } from '../../../outside/databases/query/query.ts'
import { mysql, postgres } from './spoken.ts'

const mebibyte = 1024 * 1024
/** The server stops there, so that a test that fails takes no more. */
const mostMebibytes = 192
const withinMs = 12_000

/** PostgreSQL: "you are in", "ask". */
const loggedIn = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])
/** The head of an error or a row of a gigabyte. */
const longMessage = (kind: string) => Buffer.concat([Buffer.from(kind), Buffer.from([0x40, 0, 0, 0])])

describe('A database server that does not stop talking', function () {
  this.timeout(30_000)
  let server: Server
  let sent = 0
  let begin: (socket: Socket) => void

  before(async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined)
      begin(socket)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => server.close())
  beforeEach(() => (sent = 0))

  const talk = (socket: Socket): void => {
    const part = Buffer.alloc(mebibyte, 0xff)
    const more = (): void => {
      while (sent < mostMebibytes && !socket.destroyed) {
        sent += 1
        if (!socket.write(part)) return void socket.once('drain', more)
      }
    }
    more()
  }
  const at = (): Parameters<typeof tryLogin>[1] => ({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    database: 'orders',
    username: 'shop',
    password: 'sesame',
    tls: { mode: 'disable' },
  })
  const asked = {
    statement: 'SELECT 1',
    write: false,
    limits: { withinMs, rows: 10, bytes: 1024 },
    signal: new AbortController().signal,
  }
  const afterLogin = (socket: Socket): void => {
    socket.once('data', () => {
      socket.write(loggedIn)
      socket.once('data', () => {
        socket.write(longMessage('D'))
        talk(socket)
      })
    })
  }
  const beforeLogin = (socket: Socket): void => {
    socket.write(longMessage('E'))
    talk(socket)
  }

  const says = (words: Buffer) => (socket: Socket) => void socket.write(words)
  const endlessly = (kind: string) => (socket: Socket) => {
    socket.write(longMessage(kind))
    talk(socket)
  }
  const begun = [says(postgres.done('BEGIN')), says(postgres.row(23, '7'))]
  /** After the rows of a type that the client does not know, whose name it asks for. */
  const atTypeNames = (socket: Socket): void =>
    postgres.speak(socket, [...begun, says(postgres.row(99_999, 'x')), endlessly('D')])
  const atCommit = (socket: Socket): void =>
    postgres.speak(socket, [...begun, says(postgres.row(25, 'x')), endlessly('N')])
  const atCommitOfMysql = (socket: Socket): void => {
    const [version, ok] = [says(mysql.row('8.4.0')), says(mysql.ok())]
    mysql.speak(socket, [version, ok, ok, ok, talk])
  }
  const writing = { ...asked, write: true }

  const rows: [string, (socket: Socket) => void, () => Promise<unknown>][] = [
    ['postgres before it lets a login in', beforeLogin, () => tryLogin('postgres', at(), withinMs)],
    ['postgres after it let a login in', afterLogin, () => tryLogin('postgres', at(), withinMs)],
    ['postgres before a query', afterLogin, () => runQuery('postgres', at(), asked)],
    ['postgres after a query, asked for the name of a type', atTypeNames, () => runQuery('postgres', at(), asked)],
    ['postgres at a commit', atCommit, () => runQuery('postgres', at(), writing)],
    ['mysql at a commit', atCommitOfMysql, () => runQuery('mysql', at(), writing)],
    // A packet of MySQL that is as long as one can be goes on in the next.
    ['mysql before it lets a login in', talk, () => tryLogin('mysql', at(), withinMs)],
    ['redis before it lets a login in', talk, () => runQuery('redis', at(), asked)],
  ]
  for (const [who, how, ask] of rows)
    it(`${who} is hung up on`, async () => {
      begin = how
      const startedAt = performance.now()
      const error: unknown = await ask().then(
        () => undefined,
        (cause: unknown) => cause,
      )
      expect(error).to.be.instanceOf(Error)
      expect(sent, 'mebibytes').to.be.below(64)
      expect(performance.now() - startedAt, 'before its time is over').to.be.below(withinMs - 500)
    })

  it('at a commit leaves it open whether that was carried out', async () => {
    for (const [engine, how] of [['postgres', atCommit] as const, ['mysql', atCommitOfMysql] as const]) {
      begin = how
      const said: unknown = await runQuery(engine, at(), writing).catch((error: Error) => error.message)
      expect(said, engine).to.equal('the connection broke at the commit: look whether it was written')
    }
  })

  it('one that says nothing at a commit leaves it open, too, once the time is over', async () => {
    const silent = () => undefined
    const [version, ok] = [says(mysql.row('8.4.0')), says(mysql.ok())]
    const limits = { ...asked.limits, withinMs: 300 }
    const hows = {
      postgres: (socket: Socket) => postgres.speak(socket, [...begun, says(postgres.row(25, 'x')), silent]),
      mysql: (socket: Socket) => mysql.speak(socket, [version, ok, ok, ok, silent]),
    }
    for (const engine of ['postgres', 'mysql'] as const) {
      begin = hows[engine]
      const said: unknown = await runQuery(engine, at(), { ...writing, limits }).catch((error: Error) => error.message)
      expect(said, engine).to.equal('the connection broke at the commit: look whether it was written')
    }
  })

  it('one that lets in and then says nothing is not waited for', async () => {
    begin = (socket) => void socket.once('data', () => socket.write(loggedIn))
    const startedAt = performance.now()
    const error: unknown = await tryLogin('postgres', at(), 300).catch((cause: unknown) => cause)
    expect(error).to.be.instanceOf(Error)
    expect(performance.now() - startedAt).to.be.below(5000)
  })
})
