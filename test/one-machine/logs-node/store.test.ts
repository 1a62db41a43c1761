/** The log store without a node: what is written to files of pods is in the history once, whatever is killed. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { z } from 'zod'
import { createLogStore, type LogStore } from '../../../one-machine/logs/store.ts'
import { isListening } from '../../../one-machine/processes/ports.ts'
import { createLogStore as readerOf } from '../../../outside/logs/log-store.ts'
import { readHistory } from '../../../outside/logs/read-history.ts'
import { eventually } from '../../cluster/eventually.ts'
import { testServer } from '../../harness/servers.ts'
import { namespace, podFile } from './pod-files.ts'

const children = z.array(z.object({ name: z.string(), pid: z.number() }))
const shownWithinMs = 5_000
const backWithinMs = 60_000
const limit = 1_000
const hour = 3_600
const reads = 24
/** Of three reads in four, on a machine that has other work, too. */
const quickMs = 400

describe('the log store of one machine', function () {
  this.timeout(120_000)
  const folder = mkdtempSync(join(tmpdir(), 'svc-log-store-'))
  const pods = join(folder, 'pods')
  let store: LogStore

  const make = async (): Promise<void> => {
    store = await createLogStore(join(folder, 'store'), pods)
    await store.make({ mayBuildStore: false, progress: () => undefined })
  }
  before(async () => {
    for (const name of ['loki', 'log-collector'] as const) await testServer(name)
    await make()
  })
  after(async () => {
    await store.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const pidOf = (name: string): number =>
    children.parse(JSON.parse(readFileSync(join(folder, 'store/run.json'), 'utf8'))).find((each) => each.name === name)
      ?.pid ?? 0
  const kill = (name: string): void => void process.kill(pidOf(name), 'SIGKILL')
  /** Page by page, as the API reads. */
  const history = async (service: string) => {
    const query = { namespaces: [namespace], service, limit, now: Date.now(), sinceSeconds: 6 * hour }
    return (await readHistory(readerOf({ url: store.address }), query, new AbortController().signal)).lines
  }
  const texts = async (service: string) => (await history(service)).map(({ line }) => line)
  const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `line ${from + index}`)
  const expectOnce = async (service: string, lines: readonly string[], withinMs = shownWithinMs): Promise<void> => {
    const seen = async () => (await texts(service).catch(() => [])).length >= lines.length
    await eventually(`${lines.length} lines`, seen, withinMs)
    await delay(2_000) // for what might come twice
    expect(await texts(service)).to.deep.equal(lines)
  }

  it('has lines with their pods and containers, pieces joined, within five seconds', async () => {
    const file = podFile(pods, 'web')
    file.write('hello')
    file.writePieces('one, ', 'two, ', 'three')
    await expectOnce('web', ['hello', 'one, two, three'])
    expect((await history('web'))[0]).to.include({ pod: file.pod, container: 'app' })
  })

  it('has what a pod wrote hours before the store came', async () => {
    const file = podFile(pods, 'older')
    file.writeAt(new Date(Date.now() - 5 * hour * 1000), 'long ago')
    file.write('now')
    await expectOnce('older', ['long ago', 'now'])
  })

  it('reads the newest of many hours without a pause', async () => {
    const file = podFile(pods, 'chatty')
    for (let hours = 5; hours >= 0; hours -= 1)
      file.writeAt(new Date(Date.now() - hours * hour * 1000), ...numbered(limit, (5 - hours) * limit))
    const newest = `line ${6 * limit - 1}`
    await eventually('all of them', async () => (await texts('chatty')).at(-1) === newest, backWithinMs)
    const took: number[] = []
    for (let read = 0; read < reads; read += 1) {
      const since = performance.now()
      expect(await texts('chatty')).to.have.length(limit)
      took.push(performance.now() - since)
    }
    took.sort((a, b) => a - b)
    expect(took.at((reads * 3) / 4), `milliseconds of each: ${took.map(Math.round).join()}`).to.be.below(quickMs)
  })

  it('has the last lines of a pod whose files go', async () => {
    const file = podFile(pods, 'gone')
    file.write('begins')
    await eventually('the file was found', async () => (await texts('gone')).length > 0)
    file.write('ends')
    await delay(1_500)
    file.remove()
    await expectOnce('gone', ['begins', 'ends'])
  })

  it('has every line of a burst through two rotations', async () => {
    const file = podFile(pods, 'burst')
    const lines = numbered(30_000)
    for (let part = 0; part < 60; part += 1) {
      file.write(...lines.slice(part * 500, (part + 1) * 500))
      if (part === 20 || part === 40) file.rotate()
      await delay(100)
    }
    const counted = async () => {
      const query = `sum(count_over_time({namespace="${namespace}",pod="${file.pod}"}[1h]))`
      const answer = await fetch(`${store.address}/loki/api/v1/query?${new URLSearchParams({ query }).toString()}`)
      return /"value":\[[^,]+,"(\d+)"\]/.exec(await answer.text())?.[1]
    }
    await eventually('all of it', async () => (await counted()) === '30000', shownWithinMs)
    await delay(2_000)
    expect(await counted()).to.equal('30000')
  })

  it('has what was written and rotated while it was down, once', async () => {
    const file = podFile(pods, 'patient')
    file.write(...numbered(50))
    await expectOnce('patient', numbered(50))
    kill('loki')
    file.write(...numbered(50, 50))
    file.rotate()
    file.write(...numbered(50, 100))
    await expectOnce('patient', numbered(150), backWithinMs)
  })

  it('has nothing twice, and misses nothing, when the collector is killed at any moment', async () => {
    const file = podFile(pods, 'killed')
    const lines = numbered(400)
    for (let part = 0; part < 40; part += 1) {
      file.write(...lines.slice(part * 10, (part + 1) * 10))
      if (part % 12 === 6) kill('log-collector')
      await delay(part % 2 === 0 ? 300 : 370)
    }
    await expectOnce('killed', lines, backWithinMs)
  })

  it('goes on where it was after a stop', async () => {
    const file = podFile(pods, 'resumed')
    file.write(...numbered(20))
    await expectOnce('resumed', numbered(20))
    const { address } = store
    await store.stop()
    expect(await isListening(Number(new URL(address).port))).to.equal(false)
    file.write(...numbered(20, 20))
    await make()
    expect(store.address).to.equal(address)
    await expectOnce('resumed', numbered(40), backWithinMs)
  })
})
