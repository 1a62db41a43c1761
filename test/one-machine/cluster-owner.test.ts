/** A cluster is worked with one Temporal, and a second svc is refused before it writes anything. */
import { expect } from 'chai'
import { startStack, type Stack } from '../../one-machine/stack.ts'
import { useStack } from '../harness/stack.ts'
import { temporaryFolder } from './temporary.ts'

describe('a cluster that svc serves already', () => {
  const folder = temporaryFolder()
  let harness: Awaited<ReturnType<typeof useStack>>
  before(async () => {
    harness = await useStack()
  })

  const startThere = (options: { temporal?: string; takeOver?: boolean }): Promise<Stack> =>
    startStack({ cluster: 'kubeconfig', kubeconfig: harness.kubeconfig, dataDir: folder(), ...options })

  it('refuses a start with a Temporal of its own, and says where the other one is', async () => {
    const trouble = await startThere({}).then(
      () => 'it started',
      (error: unknown) => String(error),
    )
    expect(trouble).to.match(
      /^Error: this cluster is served by svc with Temporal at \S+( on \S+)?, and two of them undo/,
    )
    expect(trouble).to.match(/share that server with --temporal, or stop that svc and start with --take-over$/)
  })

  it('is served by two that share a Temporal', async () => {
    const stack = await startThere({ temporal: harness.temporalAddress })
    await stack.stop()
  })

  it('goes over to another Temporal with --take-over, and back', async () => {
    const taken = await startThere({ takeOver: true })
    try {
      const refused = await startThere({ temporal: harness.temporalAddress }).then(
        () => 'it started',
        (error: unknown) => String(error),
      )
      expect(refused).to.contain('--take-over')
    } finally {
      await taken.stop()
      await (await startThere({ temporal: harness.temporalAddress, takeOver: true })).stop()
    }
  })
})
