/**
 * A caller and the end of a terminal in a copy, joined: pings, idle and broken ends, and who waits for whom, over real
 * WebSockets with short times.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { WebSocket, WebSocketServer } from 'ws'
import { answerTerminal, type TerminalTimes } from '../../api/http/terminal-answer.ts'
import { framesOf } from '../../cluster/http/socket.ts'
import { frameOf, terminalChannels } from '../../contract/views/terminal-frames.ts'
import { eventually } from '../cluster/eventually.ts'

const typed = frameOf(terminalChannels.stdin, Buffer.from('ls\n'))

describe('a joined terminal', () => {
  let server: WebSocketServer
  const open: WebSocket[] = []

  before(async () => {
    server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
    await once(server, 'listening')
  })
  afterEach(() => {
    for (const socket of open.splice(0)) socket.terminate()
  })
  after(() => server.close())

  /** Both ends of one connection, the server's first. */
  async function connection(options: { autoPong?: boolean } = {}): Promise<[WebSocket, WebSocket]> {
    const { port } = server.address() as AddressInfo // a TCP server has one
    const accepted = once(server, 'connection')
    const client = new WebSocket(`ws://127.0.0.1:${port}`, { ...options, perMessageDeflate: false })
    const [[socket]] = await Promise.all([accepted, once(client, 'open')])
    open.push(client)
    return [socket as WebSocket, client] // what the event carries
  }

  async function joined(times: TerminalTimes, options: { autoPong?: boolean; allowed?: () => boolean } = {}) {
    const [near, caller] = await connection(options)
    const [copy, far] = await connection()
    const stopping = new AbortController()
    const ends: string[] = []
    let credentials = (): void => undefined
    answerTerminal(
      near,
      framesOf(far),
      {
        stopping: stopping.signal,
        allowed: async () => options.allowed?.() ?? true,
        onCredentials(listener) {
          credentials = listener
          return () => (credentials = () => undefined)
        },
        onEnd: (ended) => ends.push(ended),
        onTrouble: (error) => ends.push(String(error)),
      },
      times,
    )
    const closed = once(caller, 'close').then(([code]) => Number(code))
    return { caller, copy, ends, closed, changed: () => credentials() }
  }

  const patient = { pingMs: 60_000, idleMs: 60_000 }

  it('passes frames both ways', async () => {
    const { caller, copy } = await joined(patient)
    caller.send(typed)
    const [atCopy] = await once(copy, 'message')
    expect(Buffer.from(typed).equals(atCopy as Buffer)).to.equal(true)
    const answer = frameOf(terminalChannels.stdout, Buffer.from('README\n'))
    copy.send(answer)
    const [atCaller] = await once(caller, 'message')
    expect(Buffer.from(answer).equals(atCaller as Buffer)).to.equal(true)
  })

  it('ends after its idle time without input or output, and not before', async () => {
    const { caller, copy, ends, closed } = await joined({ pingMs: 50, idleMs: 400 })
    const startedAt = performance.now()
    await sleep(250)
    caller.send(typed)
    await sleep(250)
    copy.send(frameOf(terminalChannels.stdout, Buffer.from('x')))
    expect(await closed).to.equal(4000)
    expect(performance.now() - startedAt).to.be.greaterThan(850)
    await eventually('the end has arrived', () => ends.length > 0)
    expect(ends).to.deep.equal(['nothing was typed or shown for too long'])
  })

  it('ends when the other end of the connection answers no ping, and stays while it does', async () => {
    const silent = await joined({ pingMs: 50, idleMs: 60_000 }, { autoPong: false })
    const answering = await joined({ pingMs: 50, idleMs: 60_000 })
    expect(await silent.closed).to.equal(1006)
    await eventually('the end has arrived', () => silent.ends.length > 0)
    expect(silent.ends).to.deep.equal(['the caller went away'])
    await sleep(300)
    expect(answering.caller.readyState).to.equal(WebSocket.OPEN)
  })

  it('asks with each ping and with every change of credentials whether the caller may still have it', async () => {
    let may = true
    const byPing = await joined({ pingMs: 50, idleMs: 60_000 }, { allowed: () => may })
    const byChange = await joined(patient, { allowed: () => may })
    byChange.changed()
    await sleep(200)
    expect([byPing.caller.readyState, byChange.caller.readyState]).to.deep.equal([WebSocket.OPEN, WebSocket.OPEN])
    may = false
    byChange.changed()
    expect(await Promise.all([byPing.closed, byChange.closed])).to.deep.equal([1008, 1008])
  })

  it("closes the caller's side when the connection to the copy is lost, and the copy's when the caller goes", async () => {
    const lost = await joined(patient)
    lost.copy.terminate()
    expect(await lost.closed).to.equal(1011)
    const left = await joined(patient)
    left.caller.terminate()
    await once(left.copy, 'close')
    expect([...lost.ends, ...left.ends]).to.deep.equal(['the connection to the copy was lost', 'the caller went away'])
  })

  it('holds little for a side that does not read, and hands over everything when it does', async () => {
    const { caller, copy } = await joined(patient)
    const sent = 200 * 64 * 1024
    caller.pause()
    for (let n = 0; n < 200; n += 1) copy.send(frameOf(terminalChannels.stdout, Buffer.alloc(64 * 1024)))
    await sleep(500)
    expect(copy.bufferedAmount, 'what the copy could not send').to.be.greaterThan(sent / 4)
    let read = 0
    caller.on('message', (data: Buffer) => (read += data.length - 1))
    caller.resume()
    await eventually('everything came', () => read === sent, 20_000) // 13 MB, on a machine that may be busy
  })
})
