/** When a process gives its garbage back: idle, and only when there is enough of it. */
import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { collectWhenIdle } from '../../../outside/process/collect-when-idle.ts'
import { eventually } from '../../cluster/eventually.ts'

describe('Collecting when idle', () => {
  let stop: () => void = () => undefined
  afterEach(() => stop())

  /** A heap whose size the test says. */
  function play(startMiB: number) {
    const heap = { miB: startMiB, collections: 0 }
    const collect = (): void => {
      heap.collections += 1
      heap.miB = 70
    }
    stop = collectWhenIdle({ everyMs: 20, busyAtMost: 0.9, leastMiB: 32, held: () => heap.miB, collect })
    return heap
  }

  it('is done once for what came together, and again for what came together since', async () => {
    const heap = play(200)
    await eventually('it is collected', () => heap.collections === 1)
    heap.miB = 101
    await sleep(100)
    expect(heap.collections, 'too little').to.equal(1)
    heap.miB = 103
    await eventually('it is collected again', () => heap.collections === 2)
  })

  it('measures from what is held now when the heap shrank by itself', async () => {
    const heap = play(200)
    await eventually('it is collected', () => heap.collections === 1)
    heap.miB = 40
    await sleep(100)
    heap.miB = 75
    await eventually('it is collected again', () => heap.collections === 2)
  })

  it('waits while there is work', async () => {
    let collections = 0
    stop = collectWhenIdle({
      everyMs: 20,
      busyAtMost: -1,
      leastMiB: 0,
      held: () => 1,
      collect: () => (collections += 1),
    })
    await sleep(150)
    expect(collections).to.equal(0)
  })

  it('is a real collection of this process', async () => {
    const garbage = { made: Array.from({ length: 200_000 }, (_, place) => ({ place })) }
    const gone = new WeakRef(garbage.made)
    garbage.made = []
    stop = collectWhenIdle({ everyMs: 20, busyAtMost: 1, leastMiB: 0 })
    await eventually('the garbage is gone', () => gone.deref() === undefined)
    expect(globalThis).not.to.have.property('gc')
  })
})
