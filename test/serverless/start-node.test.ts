/**
 * Services that sleep on a real node: `npm start -- --serverless` with the interceptor of KEDA's HTTP add-on, which is
 * built where this machine lacks it.
 */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { Agent, request } from 'undici'
import { WebSocket } from 'ws'
import { canHaveNode } from '../../one-machine/index.ts'
import { eventuallyOnNode, onNodeMs } from '../cluster/eventually.ts'
import { makeServersOf, testServer } from '../harness/servers.ts'
import { startWithinMs } from '../one-machine/started.ts'
import { idleSeconds, SleepingNode } from './sleeping-node.ts'

const can = canHaveNode()
/** Longer than a service may be idle here, and than a minute, which proxies like to give a request or a silence. */
const openSeconds = 75
const uploadedEachSecond = 1 << 20

/** Answers an upload with its size and digest, and the first text on a WebSocket with a text of its own. */
const receiver = `
const { createHash } = require('node:crypto')
require('node:http').createServer((asked, answer) => {
  const hash = createHash('sha256')
  let size = 0
  asked.on('data', (part) => { size += part.length; hash.update(part) })
  asked.on('end', () => answer.end(JSON.stringify({ size, hash: hash.digest('hex') })))
}).on('upgrade', ({ headers }, socket) => {
  const key = headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
  const accept = createHash('sha1').update(key).digest('base64')
  const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
  socket.write([...head, 'Sec-WebSocket-Accept: ' + accept, '', ''].join('\\r\\n'))
  socket.once('data', () => socket.write(Buffer.from([0x81, 4, ...Buffer.from('here')])))
  socket.on('end', () => socket.end())
}).listen(8080)`

;(can.ok ? describe : describe.skip)('services that sleep on a real node', function () {
  this.timeout(4 * startWithinMs)
  const node = new SleepingNode()
  const { create, ask, status, untilAsleep, untilNoCopy } = node

  before(async () => {
    await makeServersOf('node')
    await Promise.all([testServer('traefik'), testServer('keda-interceptor')])
    await node.begin('--serverless')
    await node.untilServerless()
    await node.signIn()
  })
  after(() => node.remove())

  let host = ''

  it('a request to one that sleeps is answered by the copy that it starts', async () => {
    host = await create('web', 'svc/hello:1', { readinessPath: '/healthz' })
    await untilAsleep('web')
    expect((await status('web')).replicas).to.deep.equal({ desired: 0, ready: 0, available: 0 })
    expect(await status('web')).to.include({ state: 'ready', ready: true })
    const since = performance.now()
    const answer = await ask(host)
    console.log(`      cold wake to the whole answer: ${Math.round(performance.now() - since)} ms`)
    expect(answer).to.include({ code: 200, cold: 'true' })
    expect(answer.text).to.match(/^hello from version 1 on web-/)
    expect(await ask(host)).to.include({ code: 200, cold: 'false' })
    await eventuallyOnNode('it says so', async () => (await status('web')).sleeping === undefined)
  })

  it('a hundred at once are all answered', async () => {
    await untilAsleep('web')
    const agent = new Agent({ connections: 100 })
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(host, agent)))
    await agent.close()
    expect(new Set(answers.map(({ code }) => code))).to.deep.equal(new Set([200]))
  })

  it('an upload that woke one arrives as a whole, though it takes longer than that may be idle', async () => {
    // An image with a runtime, with a program of its own.
    const settings = { command: ['node', '-e', receiver], readinessPath: '/healthz' }
    const receiving = await create('receiver', 'svc/function-node:1', settings)
    await untilNoCopy('receiver')
    const hash = createHash('sha256')
    async function* upload() {
      for (let second = 0; second < openSeconds; second += 1) {
        const part = randomBytes(uploadedEachSecond)
        hash.update(part)
        yield part
        await delay(1000)
      }
    }
    const answer = await request(node.ingress, {
      method: 'POST',
      headers: { host: receiving },
      body: Readable.from(upload()),
    })
    expect(answer.headers['x-keda-http-cold-start']).to.equal('true')
    expect(await answer.body.json()).to.deep.equal({ size: openSeconds * uploadedEachSecond, hash: hash.digest('hex') })
  })

  it('a WebSocket that woke one stays open, though nothing is sent for longer than that may be idle', async () => {
    await untilNoCopy('receiver')
    const socket = new WebSocket(node.ingress, { headers: { host: new URL((await status('receiver')).url).hostname } })
    await once(socket, 'open', { signal: AbortSignal.timeout(onNodeMs) })
    await delay(openSeconds * 1000)
    const answer = once(socket, 'message', { signal: AbortSignal.timeout(5000) })
    socket.send('are you there')
    expect(String((await answer)[0])).to.equal('here')
    expect(await status('receiver')).to.deep.include({ replicas: { desired: 1, ready: 1, available: 1 } })
    socket.terminate()
    await untilAsleep('receiver')
  })

  it('a deploy of one that sleeps is verified by a copy, and it sleeps again after', async () => {
    await untilAsleep('web')
    await node.client.call('apps.update', { app: 'web', image: 'svc/hello:2' })
    await node.client.call('apps.deploy', { app: 'web' })
    const isUp = async () => {
      const { lastAttempt, pendingChanges } = await status('web')
      return lastAttempt?.phase === 'Succeeded' && pendingChanges === 0
    }
    await eventuallyOnNode('it is up', isUp)
    await untilAsleep('web')
    expect((await ask(host)).text).to.match(/^hello from version 2/)
  })

  it('the next start wakes them without being asked for it', async () => {
    await untilAsleep('web')
    expect(await node.running.stop()).to.equal(0)
    await node.begin()
    await node.untilServerless()
    expect(await ask(host)).to.include({ code: 200 })
  })

  it('one that may not sleep any more has its copies, and its requests go there', async () => {
    await untilAsleep('web')
    await node.client.call('apps.update', { app: 'web', scaleToZero: false })
    await eventuallyOnNode('it is up', async () => (await status('web')).replicas.available === 1)
    await eventuallyOnNode('it answers itself', async () => (await ask(host)).cold === undefined)
    expect(await ask(host)).to.include({ code: 200 })
  })
  it('a deploy whose copy does not come up fails, also of one that sleeps', async () => {
    await node.client.call('apps.update', { app: 'web', scaleToZero: true, idleSeconds })
    await untilAsleep('web')
    await node.client.call('apps.update', { app: 'web', image: 'svc/hello:crash' })
    await node.client.call('apps.deploy', { app: 'web' })
    const hasFailed = async () => (await status('web')).lastAttempt?.phase === 'Failed'
    await eventuallyOnNode('it fails', hasFailed, 2 * onNodeMs)
    expect((await status('web')).state).to.equal('failed')
  })
})
