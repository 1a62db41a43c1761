/** The progress of a single instance, as a table. */
import { expect } from 'chai'
import { instanceAwaited, isPlaced } from '../../../kinds/databases/progress.ts'
import type { StatefulSetView } from '../../../kinds/pods/stateful-set.ts'
import type { PodView } from '../../../kinds/pods/trouble.ts'

const set = (status: StatefulSetView['status'] = {}): StatefulSetView => ({
  metadata: { generation: 2 },
  status: { observedGeneration: 2, ...status },
})
const ready = set({ readyReplicas: 1, updatedReplicas: 1 })
const waiting = (reason: string): PodView => ({
  metadata: { name: 'db-0' },
  status: { containerStatuses: [{ name: 'postgres', state: { waiting: { reason } } }] },
})
const running: PodView = {
  metadata: { name: 'db-0' },
  status: { containerStatuses: [{ name: 'postgres', state: { running: {} } }] },
}
const unplaced: PodView = {
  metadata: { name: 'db-0' },
  status: {
    conditions: [
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes are available' },
    ],
  },
}

const placed: PodView = {
  metadata: { name: 'db-0' },
  status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
}

describe('whether a node has a database server', () => {
  const leaving = { ...placed, metadata: { name: 'db-0', deletionTimestamp: 'now' } }
  const rows: [string, PodView[], boolean][] = [
    ['no pod', [], false],
    ['a pod that no node has capacity for', [unplaced], false],
    ['a pod that is not scheduled yet', [{ metadata: { name: 'db-0' } }], false],
    ['a pod that has a node', [placed], true],
    ['a pod that is being deleted', [leaving], false],
    ['one that is being deleted and its successor', [leaving, placed], true],
  ]
  for (const [what, pods, has] of rows) it(`with ${what}: ${has}`, () => expect(isPlaced(pods)).to.equal(has))
})

describe('how far a database server is', () => {
  const rows: [string, StatefulSetView | undefined, PodView[], boolean, string][] = [
    ['nothing there yet', undefined, [], false, 'starting'],
    [
      'one that goes away',
      { ...ready, metadata: { generation: 2, deletionTimestamp: 'now' } },
      [running],
      true,
      'starting',
    ],
    ['a volume that is not there', set(), [], false, 'volume being made'],
    ['no node for it', set(), [unplaced], false, 'no node has capacity for a copy: 0/1 nodes are available'],
    ['a container that is being made', set(), [waiting('ContainerCreating')], true, 'image being pulled'],
    ['an image that is not there', set(), [waiting('ErrImagePull')], true, 'the image cannot be pulled (ErrImagePull)'],
    ['a server that runs and does not answer', set(), [running], true, 'starting'],
    ['a ready one', ready, [running], true, ''],
    [
      'a ready one whose newer template was not seen',
      { metadata: { generation: 3 }, status: { ...ready.status, observedGeneration: 2 } },
      [running],
      true,
      'starting',
    ],
    [
      'a ready one of the template before',
      set({ readyReplicas: 1, currentRevision: 'a', updateRevision: 'b' }),
      [running],
      true,
      'starting',
    ],
    [
      'a ready one whose newest template is the current one',
      set({ readyReplicas: 1, currentRevision: 'b', updateRevision: 'b' }),
      [running],
      true,
      '',
    ],
  ]
  for (const [what, instance, pods, bound, awaited] of rows) {
    it(`with ${what} waits for: ${awaited === '' ? 'nothing' : awaited}`, () =>
      expect(instanceAwaited(instance, pods, bound)).to.equal(awaited))
  }
})
