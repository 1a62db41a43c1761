/** The history of logs on a real node, by `npm start` and the API: nothing is missing, and nothing there twice. */
import { readFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { z } from 'zod'
import { createClient, type Client } from '../../../client/client.ts'
import { signInByPassword } from '../../../client/password-sign-in.ts'
import { freePort, isListening } from '../../../one-machine/processes/ports.ts'
import { eventually } from '../../cluster/eventually.ts'
import { makeServersOf, testServer } from '../../harness/servers.ts'
import { Start } from '../started.ts'

const waitMs = 600_000
/** The time from a line being written until the history has it. */
const shownWithinMs = 5_000
const refusedWithinMs = 2_000
const backWithinMs = 60_000
/** So many at a time, with a tenth of a second and what the shell takes between. */
const burst = { perSecond: 5_000, atOnce: 700, lines: 35_000 }
const memoryMax = 400 * 1024 * 1024
/** Its shell reads the scripts below. */
const shell = { image: 'busybox', runAsRoot: true, cpu: '200m', memory: '64Mi' }

const countAnswer = z.object({
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
})
const children = z.array(z.object({ name: z.string(), pid: z.number() }))

describe('the history of logs on a real node', function () {
  this.timeout(2 * waitMs)
  let running: Start
  let client: Client
  let port: number
  let project: string
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-logs-'))
  const inside = (path: string): string => readFileSync(join(dataDir, 'node', path), 'utf8')

  const begin = async (): Promise<void> => {
    running = new Start('--cluster', 'node', '--log-store', '--data', dataDir, '--port', String(port))
    const says = (what: string) => eventually(what, () => running.output.includes(what), waitMs)
    await says('Ctrl-C stops everything')
    await says('logs: are kept from now on')
  }
  before(async () => {
    await makeServersOf('node')
    for (const name of ['victoria-metrics', 'loki', 'log-collector'] as const) await testServer(name)
    port = await freePort()
    await begin()
    const baseUrl = `http://127.0.0.1:${port}`
    const password = /password (\S+)/.exec(running.output)?.[1] ?? ''
    const who = { username: 'admin', password, tokenName: 'logs', expiresInDays: 1, userAgent: 'svc-test' }
    client = createClient({ baseUrl, token: await signInByPassword({ baseUrl, ...who }), userAgent: 'svc-test' })
    project = (await client.call('projects.create', {})).project
  })
  after(async () => {
    await running?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const run = async (app: string, script: string): Promise<void> => {
    await client.call('apps.update', { app, command: ['sh', '-c', script], deploy: true })
    const isReady = async () => (await client.call('apps.status', { app })).state === 'ready'
    await eventually(`${app} is ready`, isReady, waitMs)
  }
  const create = async (name: string, script: string): Promise<void> => {
    await client.call('apps.create', { project, environment: 'production', name, ...shell })
    await run(name, script)
  }
  const history = (service: string, q = '') =>
    client.call('projects.logs-history', { project, service, q, limit: 1000, since: '1h' })
  const shows = async (service: string, q: string) => (await history(service, q)).lines.length > 0
  const store = (): string => `http://127.0.0.1:${inside('logs/port.json')}`
  const count = async (text: string): Promise<number> => {
    const query = `sum(count_over_time({namespace="${project}-production"} |= "${text}" [1h]))`
    const answer = await fetch(`${store()}/loki/api/v1/query?${new URLSearchParams({ query }).toString()}`)
    return Number(countAnswer.parse(await answer.json()).data.result[0]?.value[1] ?? 0)
  }
  const pidOf = (name: string, runFile = 'logs/run.json'): number =>
    children.parse(JSON.parse(inside(runFile))).find((child) => child.name === name)?.pid ?? 0

  it('has a line within five seconds, and those of copies that are gone', async () => {
    const ticks = (mark: string) =>
      `trap 'echo ${mark} says goodbye; exit' TERM; while :; do echo ${mark} $(date +%s); sleep 1 & wait $!; done`
    await create('teller', ticks('first-copy'))
    await eventually('it is in the history', () => shows('teller', 'first-copy'), backWithinMs)
    const ages: number[] = []
    for (let look = 0; look < 20; look += 1) {
      const newest = (await history('teller', 'first-copy')).lines.at(-1)
      ages.push(Date.now() - Date.parse(newest?.t ?? ''))
      await delay(500)
    }
    console.log(`      age of the newest line of one a second: at most ${Math.max(...ages)} ms`)
    expect(Math.max(...ages)).to.be.below(shownWithinMs)
    const [former] = (await history('teller', 'first-copy')).lines
    const goodbye = eventually('the last words', () => shows('teller', 'first-copy says goodbye'), waitMs).then(
      async () => Date.now() - Date.parse((await history('teller', 'says goodbye')).lines[0]?.t ?? ''),
    )
    await Promise.all([run('teller', ticks('second-copy')), goodbye])
    console.log(`      age of the last words of a copy that goes: ${await goodbye} ms`)
    expect(await goodbye).to.be.below(shownWithinMs)
    await eventually(
      'the copy is gone',
      async () => {
        const { lines } = await client.call('apps.logs', { app: 'teller' })
        return lines.length > 0 && lines.every(({ pod }) => pod !== former?.pod)
      },
      backWithinMs,
    )
    const { lines } = await history('teller', 'first-copy')
    expect(lines[0]).to.deep.equal(former)
    expect(lines.at(-1)).to.include({ pod: former?.pod, line: 'first-copy says goodbye' })
  })

  it('has a line that the runtime cut into pieces as one', async () => {
    await create('long', `awk 'BEGIN { while (i++ < 4000) printf "0123456789"; print " end-of-it" }'; sleep 100000`)
    await eventually('it is there', () => shows('long', 'end-of-it'), backWithinMs)
    const { lines } = await history('long')
    expect(lines.map(({ line }) => [line.length, line.slice(0, 10)])).to.deep.equal([[16_385, '0123456789']])
  })

  it('has every line of a burst', async () => {
    const { atOnce } = burst
    const rows = `awk -v n=$i 'BEGIN { for (k = 0; k < ${atOnce}; k++) printf "burst-line %d of a service that has much to say\\n", n * ${atOnce} + k }'`
    const loop = `i=0; while [ $i -lt ${burst.lines / atOnce} ]; do ${rows}; i=$((i + 1)); sleep 0.1; done`
    await create('burst', `sleep 5; echo burst begins; ${loop}; echo burst is over; sleep 100000`)
    await eventually('all of it is there', async () => (await count('burst-line')) >= burst.lines, backWithinMs)
    const [begins, over] = (await history('burst', 'burst ')).lines.filter(({ line }) => /begins|over/.test(line))
    const seconds = (Date.parse(over?.t ?? '') - Date.parse(begins?.t ?? '')) / 1000
    console.log(`      ${burst.lines} lines in ${seconds} s`)
    await delay(shownWithinMs)
    expect(await count('burst-line')).to.equal(burst.lines)
    expect(burst.lines / seconds, 'lines a second').to.be.above(burst.perSecond)
  })

  const counting = `i=0; while :; do echo counted $i.; i=$((i + 1)); sleep 0.1; done`
  /** The numbers that the history has, oldest first. */
  const counted = async (): Promise<number[]> =>
    (await history('counter', 'counted')).lines.map(({ line }) => Number(/\d+/.exec(line)?.[0]))
  const expectAll = async (): Promise<void> => {
    const before = Math.max(...(await counted()))
    await eventually('lines come again', async () => Math.max(...(await counted())) > before + 20, backWithinMs)
    const numbers = await counted()
    const from = numbers[0] ?? 0
    expect(numbers).to.deep.equal(numbers.map((_, index) => from + index))
  }

  it('says that the store is down, and has what was written meanwhile when it is back at the same port', async () => {
    await create('counter', counting)
    await eventually('it counts', () => shows('counter', 'counted 30.'), backWithinMs)
    const killed = pidOf('loki')
    process.kill(killed, 'SIGKILL')
    const askedAt = performance.now()
    const { available, message } = await history('counter')
    expect([available, message]).to.deep.equal([false, 'the log store cannot be reached'])
    expect(performance.now() - askedAt).to.be.below(refusedWithinMs)
    const address = store()
    await eventually('it answers again', async () => (await history('counter')).available, backWithinMs)
    console.log(`      the store was down for ${Math.round(performance.now() - askedAt)} ms`)
    expect([store(), pidOf('loki') === killed]).to.deep.equal([address, false])
    await expectAll()
  })

  it('has nothing twice, and misses nothing, when the collector is killed', async () => {
    const killed = pidOf('log-collector')
    process.kill(killed, 'SIGKILL')
    await eventually('it runs again', () => ![0, killed].includes(pidOf('log-collector')), backWithinMs)
    await expectAll()
  })

  it('takes little memory, with the store of metrics', () => {
    const resident = (pid: number): number =>
      Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
    const used = [pidOf('loki'), pidOf('log-collector'), pidOf('victoria-metrics', 'metrics/run.json')].map(resident)
    console.log(`      loki, collector, metrics: ${used.map((bytes) => Math.round(bytes / 1024 ** 2)).join(', ')} MiB`)
    expect(used.reduce((sum, bytes) => sum + bytes, 0)).to.be.below(memoryMax)
  })

  it('is there after a stop and after a kill of the whole start, and leaves nothing that runs', async () => {
    const address = new URL(store())
    await running.stop()
    expect(await isListening(Number(address.port))).to.equal(false)
    await begin()
    expect(await count('burst-line')).to.equal(burst.lines)
    running.process.kill('SIGKILL')
    await running.ended
    await eventually('the store ended as well', async () => !(await isListening(Number(address.port))), backWithinMs)
    await begin()
    expect([new URL(store()).port, await count('burst-line')]).to.deep.equal([address.port, burst.lines])
    await eventually('the counter counts from its beginning', () => shows('counter', 'counted 5.'), backWithinMs)
  })
})
