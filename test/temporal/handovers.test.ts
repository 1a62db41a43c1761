/** Few deploys are handed to Temporal before workers have accepted those before them. */
import { expect } from 'chai'
import type { Client } from '@temporalio/client'
import { silentLog } from '../../cluster/objects/log.ts'
import { attributesOf } from '../../durable/messages.ts'
import { standardPolicy } from '../../durable/policy.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { Handovers } from '../../temporal/client/handovers.ts'
import { createWakes } from '../../temporal/client/wakes.ts'
import { readyApp } from './watch-world.ts'

describe('deploys that are handed over', () => {
  let now = 0
  let handovers: Handovers
  beforeEach(() => {
    now = 0
    handovers = new Handovers(undefined, () => now)
  })
  const fill = (project: string, count: number) => {
    for (let number = 1; number <= count; number += 1) handovers.begin(`${project}-${number}`, project)
  }

  it('are four of a project', () => {
    fill('a', 3)
    expect(handovers.hasCapacity('a')).to.equal(true)
    handovers.begin('a-4', 'a')
    expect(handovers.hasCapacity('a')).to.equal(false)
    handovers.end('a-2')
    expect(handovers.hasCapacity('a')).to.equal(true)
  })

  it('are eight in all, and one of a project that has none', () => {
    fill('a', 4)
    fill('b', 3)
    fill('c', 1)
    expect(['a', 'b', 'c', 'd'].map((project) => handovers.hasCapacity(project))).to.deep.equal([
      false,
      false,
      false,
      true,
    ])
  })

  it('count once, however often they are handed over', () => {
    for (let time = 0; time < 9; time += 1) handovers.begin('a-1', 'a')
    expect(handovers.of('a')).to.equal(1)
    handovers.end('a-1')
    handovers.end('a-1')
    expect(handovers.of('a')).to.equal(0)
  })

  it('count no longer after ten seconds', () => {
    fill('a', 3)
    now = 6_000
    handovers.begin('a-5', 'a')
    now = 10_000
    expect(handovers.of('a')).to.equal(1)
    now = 16_000
    expect(handovers.has('a-5') && handovers.of('a') > 0).to.equal(false)
  })
})

describe('wakes of the api', () => {
  /** Services of one project, whose deploys no worker has accepted. */
  const asked = (index: number): App => {
    const { status: _, ...app } = readyApp(index)
    return app
  }
  let refused = false
  let opened: string[]
  const client = {
    withDeadline: (_until: number, call: () => Promise<void>) => call(),
    workflow: {
      async signalWithStart(_type: string, { workflowId }: { workflowId: string }) {
        await Promise.resolve()
        if (refused) throw new Error('away')
        opened.push(workflowId)
      },
    },
  } as unknown as Client // nothing else of it is used
  const options = { client, policy: standardPolicy, searchable: true }
  const wakeAll = (wakes: ReturnType<typeof createWakes>, apps: readonly App[]) => {
    for (const app of apps)
      wakes.wake('app', app.metadata.name, { reason: 'deploy requested' }, attributesOf(viewOf(app).plan))
  }
  const afterPending = () => new Promise((resolve) => setImmediate(resolve))
  const twelve = Array.from({ length: 12 }, (_, index) => asked(index))

  beforeEach(() => {
    refused = false
    opened = []
  })

  it('open four deploys of a project, and the next ones as these are accepted or deleted', async () => {
    const wakes = createWakes(options, silentLog, new Handovers())
    wakeAll(wakes, twelve)
    await afterPending()
    expect(opened).to.deep.equal(twelve.slice(0, 4).map(({ metadata }) => `app/${metadata.name}`))
    wakes.note(twelve[0] as App, false)
    wakes.note(readyApp(1), false)
    wakes.note(twelve[2] as App, true)
    await afterPending()
    expect(opened.slice(4)).to.deep.equal(['app/app-4', 'app/app-5'])
  })

  it('open none that a worker has accepted meanwhile, woken by its watch', async () => {
    const wakes = createWakes(options, silentLog, new Handovers())
    wakeAll(wakes, twelve)
    await afterPending()
    for (const index of [4, 5, 6, 0]) wakes.note(readyApp(index), false)
    await afterPending()
    expect(opened.slice(4)).to.deep.equal(['app/app-7'])
  })

  it('leave the place of a deploy that a newer one of the same service replaces', async () => {
    const wakes = createWakes(options, silentLog, new Handovers())
    wakeAll(wakes, twelve)
    wakeAll(wakes, twelve.slice(2, 3))
    await afterPending()
    expect(opened.slice(4)).to.deep.equal(['app/app-4'])
    wakes.note(readyApp(0), false)
    await afterPending()
    expect(opened.slice(5)).to.deep.equal(['app/app-5'])
  })

  it('are never held back where they open no deploy', async () => {
    const wakes = createWakes(options, silentLog, new Handovers())
    wakeAll(wakes, twelve)
    wakes.wake('app', 'app-11', { reason: 'scaled' })
    await afterPending()
    expect(opened.at(-1)).to.equal('app/app-11')
  })

  it('leave their place again where Temporal did not take them', async () => {
    const wakes = createWakes(options, silentLog, new Handovers())
    refused = true
    wakeAll(wakes, twelve.slice(0, 4))
    await afterPending()
    refused = false
    wakeAll(wakes, twelve.slice(4, 8))
    await afterPending()
    expect(opened).to.have.length(4)
    expect(wakes.undelivered).to.equal(4)
  })
})
