/** Wakes are delivered until Temporal takes them, and those that open deploys a few at a time, in turns of projects. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { silentLog } from '../../cluster/objects/log.ts'
import type { RunAttributes } from '../../durable/messages.ts'
import { WakeQueue } from '../../temporal/watch/wake-queue.ts'

const attributes = (project: string): RunAttributes => ({
  operation: 'deploy',
  attempt: '',
  project,
  environment: 'production',
  actor: 'ann',
})

describe('the queue of wakes', () => {
  const sent: string[] = []
  let away = 0
  let queue: WakeQueue
  beforeEach(() => {
    sent.length = 0
    away = 0
    queue = new WakeQueue(async (kind, name) => {
      await Promise.resolve()
      away -= 1
      if (away >= 0) throw new Error('away')
      sent.push(`${kind}/${name}`)
    }, silentLog)
  })
  afterEach(() => queue.stop())

  const open = (project: string, ...numbers: number[]) => {
    for (const number of numbers)
      queue.add('app', `${project}-${number}`, { reason: 'new', intent: `i${number}` }, attributes(project))
  }
  const upTo = (count: number) => Array.from({ length: count }, (_, place) => place + 1)
  /** Until everything that may be sent was sent. */
  const afterPending = () => sleep(20)

  it('delivers a wake again until Temporal takes it', async () => {
    away = 2
    queue.add('app', 'x', { reason: 'test' })
    await sleep(1_000)
    expect(sent).to.deep.equal(['app/x'])
  })

  it('delivers deploys that Temporal did not take, however many of the project wait', async () => {
    away = 4
    open('a', ...upTo(4))
    await sleep(1_000)
    expect(sent).to.have.length(4)
  })

  it('opens four deploys of a project, and another for each that was accepted', async () => {
    open('a', ...upTo(20))
    await afterPending()
    expect(sent).to.deep.equal(upTo(4).map((number) => `app/a-${number}`))
    queue.noteAccepted('a-2')
    queue.noteAccepted('a-3')
    await afterPending()
    expect(sent.slice(4)).to.deep.equal(['app/a-5', 'app/a-6'])
    expect(queue.waiting).to.equal(14)
  })

  it('takes projects in turns, and opens one of a new project at once', async () => {
    open('a', ...upTo(20))
    open('b', ...upTo(20))
    await afterPending()
    open('c', 1)
    await afterPending()
    expect(sent.slice(8)).to.deep.equal(['app/c-1'])
    for (const name of ['a-1', 'b-1', 'b-2', 'c-1']) queue.noteAccepted(name)
    await afterPending()
    expect(sent.slice(9).toSorted()).to.deep.equal(['app/a-5', 'app/b-5', 'app/b-6'])
  })

  it('sends what concerns runs under way at once, however many deploys wait', async () => {
    open('a', ...upTo(20))
    queue.add('app', 'other', { reason: 'copies: 1 of 1 copies ready' })
    queue.add('database', 'data', { reason: 'its quota changed' })
    await afterPending()
    expect(sent.slice(4)).to.deep.equal(['app/other', 'database/data'])
  })

  it('does not open a deploy that was accepted while it waited for its turn', async () => {
    open('a', ...upTo(8))
    await afterPending()
    for (const number of [5, 6, 7]) queue.noteAccepted(`a-${number}`)
    for (const number of [1, 2, 3, 4]) queue.noteAccepted(`a-${number}`)
    await afterPending()
    expect(sent.slice(4)).to.deep.equal(['app/a-8'])
    expect(queue.waiting).to.equal(0)
  })

  it('sends at once what became urgent while it waited for its turn', async () => {
    open('a', ...upTo(8))
    await afterPending()
    queue.add('app', 'a-8', { reason: 'to be taken down' })
    await afterPending()
    expect(sent.slice(4)).to.deep.equal(['app/a-8'])
  })
})
