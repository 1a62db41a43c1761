/** One delivery to a real receiver on loopback: its signature, its limits, and the text of a failure. */
import { createHmac } from 'node:crypto'
import { createServer, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { createWebhookSender } from '../../../outside/webhooks/sender.ts'
import { startReceiver, type TestReceiver } from './receiver.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const message = { id: 'msg_1', body: '{"type":"webhook.test","text":"ünïcode"}' }
const tryMs = 1_000

describe('Sending a webhook', function () {
  this.timeout(20_000)
  let receiver: TestReceiver
  const sender = createWebhookSender({ allowPrivate: true, tryMs, now: () => new Date() })
  const send = (url = receiver.url) => sender.send({ url, secret }, message)

  beforeEach(async () => {
    receiver = await startReceiver()
  })
  afterEach(() => receiver.stop())

  it('is signed as Standard Webhooks says: by its library, and by the letter of the text', async () => {
    expect(await send()).to.deep.equal({ ok: true, status: 204 })
    const [got] = receiver.received
    const headers = got?.headers as Record<string, string> // each is sent once
    expect(new Webhook(secret).verify(got?.body ?? '', headers)).to.deep.equal(JSON.parse(message.body))
    const signed = createHmac('sha256', Buffer.alloc(32, 7))
      .update(`msg_1.${headers['webhook-timestamp']}.${message.body}`)
      .digest('base64')
    expect(headers).to.include({
      'webhook-id': 'msg_1',
      'webhook-signature': `v1,${signed}`,
      'content-type': 'application/json',
      'user-agent': 'svc-webhooks',
    })
    expect(() =>
      new Webhook(`whsec_${Buffer.alloc(32, 8).toString('base64')}`).verify(got?.body ?? '', headers),
    ).to.throw('No matching signature')
  })

  it('an answer beyond 2xx is a failure, and a redirect is not followed', async () => {
    receiver.answer((response) => response.writeHead(503).end())
    expect(await send()).to.deep.equal({ ok: false, status: 503, reason: 'the receiver answered 503' })
    const elsewhere = await startReceiver()
    for (const status of [301, 302, 307, 308]) {
      receiver.answer((response) => response.writeHead(status, { location: elsewhere.url }).end())
      expect(await send()).to.deep.equal({
        ok: false,
        status,
        reason: `the receiver answered ${status}, and redirects are not followed`,
      })
    }
    expect(elsewhere.received).to.deep.equal([])
    await elsewhere.stop()
  })

  it('a receiver that is down, silent, or closes the connection is said so', async () => {
    await receiver.stop()
    expect(await send()).to.deep.equal({ ok: false, reason: 'the connection was refused' })
    await receiver.listen()
    receiver.answer(() => undefined)
    expect(await send()).to.deep.equal({ ok: false, reason: 'no answer within 1 s' })
    receiver.answer((response) => response.destroy())
    expect(await send()).to.deep.equal({ ok: false, reason: 'the connection was closed before an answer came' })
  })

  it('a huge answer is cut off, and one that never ends is not waited for', async () => {
    let sent = 0
    receiver.answer((response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && sent < 64 * 1024 * 1024) {
          sent += 64 * 1024
          if (!response.write(Buffer.alloc(64 * 1024))) return
        }
      }
      response.on('drain', more)
      response.on('error', () => undefined)
      more()
    })
    expect(await send()).to.deep.equal({ ok: true, status: 200 })
    expect(sent).to.be.lessThan(32 * 1024 * 1024)
    receiver.answer((response) => void response.writeHead(200).write('a'))
    expect(await send()).to.deep.equal({ ok: true, status: 200 })
  })

  it('what is no HTTP, or has a huge head, is said so', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.end('SSH-2.0-server\r\n')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // a TCP server has one
    expect(await send(`http://127.0.0.1:${port}/`)).to.deep.equal({
      ok: false,
      reason: 'the answer is not HTTP, or its head is too large',
    })
    expect(await send(`https://127.0.0.1:${port}/`)).to.deep.equal({
      ok: false,
      reason: 'no secure connection could be made',
    })
    server.close()
    receiver.answer((response) => response.writeHead(200, { x: 'x'.repeat(60_000) }).end())
    expect(await send()).to.deep.equal({ ok: false, reason: 'the answer is not HTTP, or its head is too large' })
  })

  it('a name that does not resolve is said so, without addresses', async () => {
    expect(await send('http://no-such-host.invalid/')).to.deep.equal({
      ok: false,
      reason: 'the name of the host could not be resolved',
    })
  })

  it('a secret that is none sends nothing', async () => {
    expect(await sender.send({ url: receiver.url, secret: 'whsec_%%%' }, message)).to.deep.equal({
      ok: false,
      reason: 'the signing secret cannot be used; rotate it',
    })
    expect(receiver.received).to.deep.equal([])
  })

  it('a name that changes its mind after it was saved leads nowhere', async () => {
    const answers = [['93.184.215.14'], ['127.0.0.1'], ['93.184.215.14', '127.0.0.1'], ['::ffff:127.0.0.1']]
    const rebinding = createWebhookSender({
      allowPrivate: false,
      tryMs,
      now: () => new Date(),
      resolve: async () => answers.shift() ?? [],
    })
    const url = `http://rebind.example.com:${receiver.port}/hook`
    expect(await rebinding.refusal(url)).to.equal(undefined)
    while (answers.length > 0)
      expect(await rebinding.send({ url, secret }, message)).to.deep.equal({
        ok: false,
        reason: 'the address is not allowed',
      })
    expect(receiver.received).to.deep.equal([])
  })

  it('without the setting, an address that was written past the api is not reached either', async () => {
    const strict = createWebhookSender({ allowPrivate: false, tryMs, now: () => new Date() })
    for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', '[::1]', '0.0.0.0']) {
      expect(await strict.send({ url: `http://${host}:${receiver.port}/`, secret }, message)).to.deep.equal({
        ok: false,
        reason: 'the address is not allowed',
      })
    }
    expect(receiver.received).to.deep.equal([])
  })

  it('a name that resolves to an allowed address is connected to by it', async () => {
    const named = createWebhookSender({
      allowPrivate: true,
      tryMs,
      now: () => new Date(),
      resolve: async () => ['127.0.0.1'],
    })
    expect(
      await named.send({ url: `http://receiver.example.com:${receiver.port}/hook`, secret }, message),
    ).to.deep.equal({ ok: true, status: 204 })
    expect(receiver.received[0]?.headers.host).to.equal(`receiver.example.com:${receiver.port}`)
  })
})
