/** Few deploys begin before those before them have a copy. */
import { expect } from 'chai'
import type { CachedDeployment } from '../../activities/context/needs.ts'
import type { CacheEvent } from '../../cluster/cache/cache.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { RolloutTurns } from '../../temporal/watch/rollout-turns.ts'

type Event = CacheEvent<CachedDeployment>

/** Of a Deployment of two copies whose template was changed: seen by its controller, and with a copy of it. */
interface Progress {
  observed?: boolean
  updated?: number
  replicas?: number
}

const deployment = (app: string, { observed = true, updated = 0, replicas = 2 }: Progress): CachedDeployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: app, labels: { [labels.app]: app }, generation: 2 },
  spec: { replicas },
  status: { observedGeneration: observed ? 2 : 1, updatedReplicas: updated },
})

describe('turns of deploys', () => {
  let now: number
  let turns: RolloutTurns
  let listener: (event: Event) => void
  let begun: string[]

  beforeEach(() => {
    now = 0
    begun = []
    const onChange = (given: (event: Event) => void) => {
      listener = given
      return () => undefined
    }
    turns = new RolloutTurns({ onChange }, () => now)
  })
  afterEach(async () => {
    // No wait outlives its test.
    for (let app = 1; app <= 12; app += 1) for (const project of ['a', 'b', 'c']) turns.end(`${project}-${app}`)
    await Promise.resolve()
  })

  const begin = (app: string, project: string) => void turns.begin(app, project).then(() => begun.push(app))
  const beginMany = async (project: string, count: number): Promise<void> => {
    for (let number = 1; number <= count; number += 1) begin(`${project}-${number}`, project)
    await nextTick()
  }
  const show = async (app: string, progress: Progress): Promise<void> => {
    listener({ type: 'update', object: deployment(app, progress) } as Event)
    await nextTick()
  }
  const nextTick = () => new Promise((resolve) => setImmediate(resolve))
  const firstEight = Array.from({ length: 8 }, (_, place) => `a-${place + 1}`)

  it('are eight at a time', async () => {
    await beginMany('a', 10)
    expect(begun).to.deep.equal(firstEight)
    turns.end('a-3')
    await nextTick()
    expect(begun).to.deep.equal([...firstEight, 'a-9'])
  })

  it('end when the Deployment that was applied has copies of its newest template', async () => {
    await beginMany('a', 9)
    turns.applied('a-1')
    await show('a-1', { observed: false, updated: 2 })
    await show('a-1', { updated: 0 })
    expect(begun, 'no copy of the newest template').to.deep.equal(firstEight)
    await show('a-1', { updated: 1 })
    expect(begun).to.deep.equal([...firstEight, 'a-9'])
  })

  it('end also when its copies were made before the pass was over, and when none is wanted', async () => {
    await beginMany('a', 10)
    await show('a-1', { updated: 1 })
    expect(begun, 'the pass may still apply something').to.deep.equal(firstEight)
    turns.applied('a-1')
    turns.applied('a-2')
    await show('a-2', { replicas: 0 })
    expect(begun).to.deep.equal([...firstEight, 'a-9', 'a-10'])
  })

  it('do not end by an event of before the apply', async () => {
    await beginMany('a', 9)
    await show('a-1', { updated: 2 })
    await show('a-1', { observed: false, updated: 2 })
    turns.applied('a-1')
    await nextTick()
    expect(begun).to.deep.equal(firstEight)
  })

  it('end when the Deployment is deleted', async () => {
    await beginMany('a', 9)
    turns.applied('a-1')
    listener({ type: 'delete', object: deployment('a-1', {}) } as Event)
    await nextTick()
    expect(begun).to.include('a-9')
  })

  it('are given at once to a project without any, and next to the one with the fewest', async () => {
    await beginMany('a', 10)
    await beginMany('b', 2)
    expect(begun).to.deep.equal([...firstEight, 'b-1'])
    turns.end('a-1')
    turns.end('a-2')
    await nextTick()
    expect(begun).to.deep.equal([...firstEight, 'b-1', 'b-2'])
  })

  it('count no longer after three seconds, and are waited for no longer', async () => {
    await beginMany('a', 8)
    now = 3_000
    begin('b-1', 'b')
    begin('a-9', 'a')
    await nextTick()
    expect(begun).to.include('a-9')
    await beginMany('c', 12)
    expect(begun).not.to.include('c-12')
    await turns.begin('c-11', 'c')
    expect(begun).to.include('c-12')
  }).timeout(30_000)
})
