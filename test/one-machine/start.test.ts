/** `npm start` as a user runs it: from nothing to a served sample, a concurrent second start, a stop, and a restart. */
import { expect } from 'chai'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, loopback } from '../../one-machine/processes/ports.ts'
import { createClient } from '../../client/client.ts'
import { signInByPassword } from '../../client/password-sign-in.ts'
import { makeServersOf, testServer } from '../harness/servers.ts'
import { Start, startWithinMs } from './started.ts'
import { eventually } from './temporary.ts'

const stopWithinMs = 10_000
/** For the store's first two reads, on a busy machine. */
const waitMs = 120_000
const userAgent = 'svc-test'

describe('npm start', function () {
  this.timeout(2 * startWithinMs)
  let dataDir: string
  let port: number
  let running: Start
  const start = (...args: string[]): Start =>
    new Start('--cluster', 'simulated', '--data', dataDir, '--port', String(port), ...args)
  const url = (): string => `http://${loopback}:${port}`

  before(async () => {
    await makeServersOf('simulated')
    await testServer('victoria-metrics')
    dataDir = mkdtempSync(join(tmpdir(), 'svc-start-'))
    port = await freePort()
    running = start('--demo')
    await running.untilServed()
  })
  after(async () => {
    await running?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('ends with the address, the sign-in and three next commands', () => {
    expect(running.output).to.match(
      new RegExp(`svc +${url()}\\n +sign in +admin, password \\S{16} \\(shown only this once\\)`),
    )
    expect(running.output.match(/^ {2}npx svc /gm)).to.have.length(3)
  })

  it('serves, and its first user can sign in', async () => {
    expect((await fetch(`${url()}/healthz`)).status).to.equal(200)
    const password = /password (\S+)/.exec(running.output)?.[1] ?? ''
    const answer = await fetch(`${url()}/api/login`, {
      method: 'POST',
      body: new URLSearchParams({ username: 'admin', password }),
    })
    expect(await answer.json()).to.include({ authenticated: true, role: 'admin' })
  })

  it('deployed the sample', () => {
    expect(running.output).to.contain('sample: the service hello of project demo is ready')
  })

  it('keeps metrics without a setting: of the sample, and of what svc itself does', async () => {
    await eventually(() => running.output.includes('metrics: are kept from now on'), waitMs)
    const password = /password (\S+)/.exec(running.output)?.[1] ?? ''
    const signIn = { baseUrl: url(), username: 'admin', password, tokenName: 'metrics', expiresInDays: 1, userAgent }
    const client = createClient({ baseUrl: url(), token: await signInByPassword(signIn), userAgent })
    const last = (points: readonly { v: number }[] = []): number => points.at(-1)?.v ?? 0
    const ofSample = async () => (await client.call('apps.metrics', { app: 'hello' })).series
    // The store makes the series of one scrape visible one by one, so each of them is waited for.
    await eventually(async () => last((await ofSample()).cpu) > 0, waitMs)
    const { replicas } = await client.call('apps.status', { app: 'hello' })
    const memory = replicas.ready * 16 * 1024 * 1024
    await eventually(async () => last((await ofSample()).memory) === memory, waitMs)
    const ofWorker = async () => (await client.call('metrics.operator', {})).series.queueDepth
    await eventually(async () => ((await ofWorker()) ?? []).length > 0, waitMs)
    await eventually(async () => last((await client.call('metrics.operator', {})).series.apiRequests) > 0, waitMs)
  })

  it('writes the first password into no file', () => {
    const password = /password (\S+)/.exec(running.output)?.[1] ?? ''
    for (const name of ['api', 'worker'])
      expect(readFileSync(join(dataDir, 'logs', `${name}.log`), 'utf8')).to.not.contain(password)
  })

  it('refuses a second start on the same data in one sentence', async () => {
    const second = start()
    expect(await second.ended).to.equal(1)
    expect(second.output).to.match(
      new RegExp(
        `^svc: svc already runs on ${dataDir} \\(process \\d+, at ${url()}\\); stop it with Ctrl-C, or start another with --data and --port\\n$`,
      ),
    )
  })

  it('names the program that holds its port', async () => {
    const holder = createServer().listen(0, loopback)
    await new Promise((listening) => holder.once('listening', listening))
    const address = holder.address()
    const taken = typeof address === 'object' && address !== null ? address.port : 0
    const other = new Start('--cluster', 'simulated', '--data', join(dataDir, 'other'), '--port', String(taken))
    expect(await other.ended).to.equal(1)
    expect(other.output).to.match(
      new RegExp(
        `^svc: port ${taken} is used by .*\\(process ${process.pid}\\); stop it, or choose another port with --port\\n$`,
      ),
    )
    holder.close()
  })

  it('stops everything within ten seconds and has it all again at the next start', async () => {
    const began = Date.now()
    expect(await running.stop()).to.equal(0)
    expect(Date.now() - began).to.be.lessThan(stopWithinMs)
    expect(existsSync(join(dataDir, 'lock'))).to.equal(false)
    running = start()
    await running.untilServed()
    expect(running.output).to.contain('sign in     as before')
  })

  it('leaves no process when it is killed, and starts again', async function () {
    if (process.platform !== 'linux') this.skip() // on other systems the next start stops them
    const owner = (JSON.parse(readFileSync(join(dataDir, 'lock'), 'utf8')) as { pid: number }).pid
    process.kill(owner, 'SIGKILL')
    await running.ended
    running = start('--reset')
    await running.untilServed()
    expect(running.output).to.contain(`forgot everything in ${dataDir}`)
    expect(running.output).to.contain('shown only this once')
  })
})
