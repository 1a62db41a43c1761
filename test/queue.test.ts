/** Which file each lane of a whole run takes next. */
import { expect } from 'chai'
import { createQueue, type Lane, type Queue } from './queue.ts'

function takeAll(queue: Queue, lane: Lane): string[] {
  const file = queue.take(lane)
  return file === undefined ? [] : [file, ...takeAll(queue, lane)]
}

describe('the queue of a whole run', () => {
  it('gives tests of workflows, of one machine and all others to a lane each; those of real nodes come last', () => {
    const workflows = ['test/workflows/deploy.test.ts', 'test/workflows/domain.test.ts']
    const nodes = ['test/one-machine/node.test.ts', 'test/one-machine/start-node.test.ts']
    const machine = [
      'test/one-machine/node/network.test.ts',
      'test/one-machine/start.test.ts',
      'test/workflows/githost-token.test.ts',
      'test/workflows/stuck-runs.test.ts',
    ]
    const others = ['test/api/nodes.test.ts', 'test/run.test.ts']
    const queue = createQueue([...nodes, ...machine, ...others, ...workflows].toSorted())
    expect(takeAll(queue, 'workflows')).to.deep.equal(workflows)
    expect(takeAll(queue, 'others')).to.deep.equal(others)
    expect(takeAll(queue, 'machine')).to.deep.equal([...machine, ...nodes])
  })

  it('keeps those that share a worker together, and what needs servers that are made late for the end', () => {
    const late = ['test/workflows/drills.test.ts', 'test/workflows/object-stores.test.ts']
    const workflow = 'test/workflows/deploy.test.ts'
    expect(takeAll(createQueue([...late, workflow]), 'workflows')).to.deep.equal([workflow, ...late])
    const pages = ['all-settings', 'behaviour', 'charts', 'palette'].map((name) => `test/dashboard/${name}.test.ts`)
    expect(takeAll(createQueue([...pages, 'test/docs/index.test.ts']), 'others')).to.deep.equal([
      'test/dashboard/behaviour.test.ts',
      'test/dashboard/charts.test.ts',
      'test/docs/index.test.ts',
      'test/dashboard/all-settings.test.ts',
      'test/dashboard/palette.test.ts',
    ])
  })

  it('lets a lane that has run its own take from the end what any lane may run, and nothing else', () => {
    const own = ['test/api/nodes.test.ts', 'test/kinds/backup-archives/jobs.test.ts']
    const open = ['test/cli/list.test.ts', 'test/kinds/name.test.ts', 'test/mcp/repair.test.ts']
    const queue = createQueue([...own, ...open].toSorted())
    expect([queue.take('machine'), queue.take('workflows')]).to.deep.equal([open[2], open[1]])
    expect(queue.take('others')).to.equal(own[0])
    expect(takeAll(queue, 'machine')).to.deep.equal([open[0]])
    expect(takeAll(queue, 'others')).to.deep.equal([own[1]])
  })
})
