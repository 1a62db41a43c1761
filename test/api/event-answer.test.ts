/**
 * Server-sent events over real sockets: shape, ping, listeners that stop reading, and which callers may keep listening.
 */
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { Server } from 'node:http'
import { expect } from 'chai'
import Koa from 'koa'
import { answerEvents } from '../../api/http/event-answer.ts'
import type { ServerEvent } from '../../contract/operation.ts'
import { eventually } from '../cluster/eventually.ts'

const large = { data: 'x'.repeat(50_000) }
const pingMs = 100

describe('an answer of events', () => {
  let server: Server
  let port: number
  let allowed: boolean
  const credentials = new Set<() => void>()
  /** How many events were pulled from the iterations, and how many iterations have ended. */
  const seen = { pulled: 0, ended: 0 }

  before(async () => {
    const app = new Koa()
    app.silent = true
    app.use((ctx) => {
      const gone = new AbortController()
      ctx.res.once('close', () => gone.abort())
      const terms = {
        signal: gone.signal,
        allowed: async () => allowed,
        onCredentials(listener: () => void) {
          credentials.add(listener)
          return () => credentials.delete(listener)
        },
      }
      if (ctx.path === '/silent') answerEvents(ctx, silent(gone.signal), terms)
      else answerEvents(ctx, ctx.path === '/quiet' ? quiet(gone.signal) : endless(), terms, pingMs)
    })
    server = app.listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    port = (server.address() as AddressInfo).port // the address of a TCP server has a port
  })
  beforeEach(() => {
    allowed = true
    Object.assign(seen, { pulled: 0, ended: 0 })
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  async function* endless(): AsyncGenerator<ServerEvent> {
    try {
      for (;;) {
        seen.pulled += 1
        yield large
      }
    } finally {
      seen.ended += 1
    }
  }

  async function* quiet(signal: AbortSignal): AsyncGenerator<ServerEvent> {
    yield { event: 'connected', id: '7', data: { a: 'b\nc' } }
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    seen.ended += 1
  }

  // oxlint-disable-next-line require-yield -- a silent stream is the case under test
  async function* silent(signal: AbortSignal): AsyncGenerator<ServerEvent> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  }

  function open(path: string): { socket: Socket; text: () => string; closed: () => boolean } {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    let closed = false
    socket.on('data', (data) => (text += String(data)))
    socket.on('close', () => (closed = true))
    socket.on('error', () => undefined) // the close event follows
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    return { socket, text: () => text, closed: () => closed }
  }

  it('has the lines of the format, and pings', async () => {
    const { socket, text } = open('/quiet')
    await eventually('two pings', () => text().split(': ping\n\n').length > 2)
    expect(text()).to.include('event: connected\nid: 7\ndata: {"a":"b\\nc"}\n\n')
    socket.destroy()
    await eventually('the iteration ended', () => seen.ended === 1)
    expect(credentials.size).to.equal(0)
  })

  it('begins at once, though there is nothing to report yet', async () => {
    const { socket, text } = open('/silent')
    await eventually('the head', () => text().includes('text/event-stream') && text().includes('\r\n\r\n'))
    expect(text()).not.to.include('ping')
    socket.destroy()
    await eventually('it is forgotten', () => credentials.size === 0)
  })

  it('reads nothing more for a listener that does not read, disconnects it after four pings, and drops it', async () => {
    const { socket, text, closed } = open('/endless')
    await eventually('the first events', () => text().length > 100_000)
    socket.pause()
    await eventually('the listener is closed', () => seen.ended === 1)
    // Kernel buffers hold a few megabytes; without back-pressure thousands of events would have been pulled by now.
    expect(seen.pulled).to.be.lessThan(1000)
    expect(credentials.size).to.equal(0)
    socket.resume()
    await eventually('and its connection is closed', () => closed())
  })

  it('ends when the caller may no longer listen: at once after a change of credentials, or with the next ping', async () => {
    const first = open('/quiet')
    await eventually('it began', () => first.text().includes('event: connected') && credentials.size === 1)
    allowed = false
    for (const listener of credentials) listener()
    await eventually('the stream ended', () => seen.ended === 1 && first.text().endsWith('\r\n0\r\n\r\n'))
    first.socket.destroy()
    const second = open('/quiet')
    await eventually('the second ended', () => seen.ended === 2)
    second.socket.destroy()
  })
})
