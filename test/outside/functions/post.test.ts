/** One POST to a function: what is known of it afterwards, whatever the function or the connection does. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect } from 'chai'
import { postOnce } from '../../../outside/functions/post.ts'
import { startReceiver, type TestReceiver } from '../webhooks/receiver.ts'

const path = '/jobs?all=1'
const never = new AbortController().signal

describe('a POST to a function', () => {
  let copies: TestReceiver
  beforeEach(async () => {
    copies = await startReceiver('')
  })
  afterEach(() => copies.stop())

  const post = (more: { port?: number; body?: string; withinMs?: number; signal?: AbortSignal } = {}) =>
    postOnce(
      { host: '127.0.0.1', port: more.port ?? copies.port, authority: 'fn.shop.svc' },
      { path, headers: { 'ce-id': 'a' }, body: more.body ?? '' },
      { withinMs: more.withinMs ?? 5_000, signal: more.signal ?? never },
    )

  it('has the path, the host and the headers that it is given, and the length of its body', async () => {
    expect(await post({ body: '{"word":"größer"}' })).to.deep.include({ outcome: 'answered', status: 204, line: '' })
    expect(copies.received).to.have.length(1)
    const [got] = copies.received
    expect(got).to.deep.include({ method: 'POST', path, body: '{"word":"größer"}' })
    expect(got?.headers).to.deep.include({ host: 'fn.shop.svc', 'ce-id': 'a', 'content-length': '19' })
  })

  it('has the first line of the answer that says something, short and without control characters', async () => {
    copies.answer((response) => void response.writeHead(500).end(`\r\n \n\u001b[31m${'x'.repeat(300)}\nmore`))
    const posted = await post()
    expect(posted).to.deep.include({ outcome: 'answered', status: 500 })
    expect(posted.outcome === 'answered' && posted.line)
      .to.match(/^\[31mx+$/)
      .and.to.have.length(200)
  })

  it('follows no redirect', async () => {
    copies.answer((response) => void response.writeHead(307, { location: copies.url }).end())
    expect(await post()).to.deep.include({ outcome: 'answered', status: 307 })
    expect(copies.received).to.have.length(1)
  })

  it('reads a long answer to its limit, and one that breaks off has its status', async () => {
    copies.answer((response) => {
      response.writeHead(200)
      const more = () =>
        void (response.write('y'.repeat(64 * 1024)) ? setImmediate(more) : response.once('drain', more))
      more()
    })
    expect(await post()).to.deep.include({ outcome: 'answered', status: 200 })
    copies.answer((response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => response.destroy())
    })
    expect(await post()).to.deep.include({ outcome: 'answered', status: 200 })
  })

  it('was not sent where nothing listens', async () => {
    const { port } = copies
    await copies.stop()
    expect(await post({ port })).to.deep.equal({
      outcome: 'unsent',
      message: 'no connection to the function: ECONNREFUSED',
    })
    await copies.listen()
  })

  it('is lost where the connection ends without an answer', async () => {
    copies.answer((response) => void response.destroy())
    const posted = await post()
    expect(posted.outcome).to.equal('lost')
    expect(posted.outcome === 'lost' && posted.message).to.equal(
      'the connection was lost before an answer came: ECONNRESET',
    )
  })

  it('is lost where no answer comes in time, also of what takes the connection and reads nothing', async () => {
    const sockets: Socket[] = []
    const silent = createServer((socket) => void sockets.push(socket.pause()))
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    const { port } = silent.address() as AddressInfo // a TCP server has one
    expect(await post({ port, withinMs: 1_000 })).to.deep.include({
      outcome: 'lost',
      message: 'the function did not answer within 1 seconds',
    })
    for (const socket of sockets) socket.destroy()
    silent.close()
  })

  it('is lost where svc stops while the function is at work', async () => {
    const stopping = new AbortController()
    copies.answer(() => stopping.abort())
    expect(await post({ signal: stopping.signal })).to.deep.include({
      outcome: 'lost',
      message: 'svc was stopped while the function was at work',
    })
  })
})
