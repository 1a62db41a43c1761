/**
 * Deletion of a store whose cloud is gone, cut between any two writes: a store that is not being deleted never gets the
 * annotation, and a second request completes it. Who asked for the deletion is noted on it before it begins.
 */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { isAbandoned, isNotedAbandoned } from '../../../kinds/provision/abandon.ts'
import { deletedBy } from '../../../kinds/provision/deletion-request.ts'
import { finalizers } from '../../../kinds/meta/annotations.ts'
import type { ObjectStore } from '../../../kinds/object-stores/kind.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { askStoreDeletion } from '../../../records/object-stores/ask-deletion.ts'
import { createStore } from '../../harness/object-server.ts'
import { behindStore, type TestRecords, useRecords } from '../../harness/records.ts'
import { withoutWorker } from '../../harness/worker.ts'
import { dyingAt, points } from '../dying.ts'

describe('an api that dies while it abandons a store', () => {
  let records: TestRecords

  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    records = await useRecords()
  })

  for (const { when, write } of [...points, { when: 'before', write: 3 }, { when: 'after', write: 3 }] as const) {
    it(`${when} write ${write} leaves a deletion that asks the cloud, or none at all; requested again, the store is abandoned`, async () => {
      const spec = {
        project: 'proj-00000000',
        environment: 'production',
        engine: 'Remote',
        connectionRef: { name: 'gone' },
      } as const
      const made = await createStore(records, `store-${randomBytes(4).toString('hex')}`, spec)
      const { name } = made.metadata
      // No worker runs that would add the finalizer or remove the store.
      const store =
        (await records.objectStores.edit(name, (current) => withFinalizers(current, [finalizers.objectStore]))) ??
        expect.fail(name)
      await dyingAt(records.client, { when, write }, (mortal) =>
        askStoreDeletion(
          {
            client: mortal,
            objectStores: behindStore<ObjectStore>(mortal, resourceTypes.objectStore),
            backupArchives: records.backupArchives,
          },
          store,
          name,
          { abandon: true, asked: askedBy('ada') },
        ),
      )
      const left = (await records.objectStores.readLive(name)) ?? expect.fail(name)
      const isAfter = (other: number) => write > other || (write === other && when === 'after')
      const [isDeleted, isNoted] = [isAfter(2), isAfter(3)]
      expect([left.metadata.deletionTimestamp !== undefined, isNotedAbandoned(left)]).to.deep.equal([
        isDeleted,
        isNoted,
      ])
      await askStoreDeletion(records, left, name, { abandon: true, asked: askedBy('bob') })
      const going = (await records.objectStores.readLive(name)) ?? expect.fail(name)
      expect(isAbandoned(going)).to.equal(true)
      // Who asked first, where that request reached the deletion.
      expect(deletedBy(going.metadata)).to.equal(isDeleted ? 'ada' : 'bob')
      await records.objectStores.edit(name, (current) => withFinalizers(current, []))
      expect(await records.objectStores.readLive(name)).to.equal(undefined)
    })
  }
})

const askedBy = (actor: string) => ({ actor, at: new Date().toISOString() })

const withFinalizers = (store: ObjectStore, own: string[]): ObjectStore => ({
  ...store,
  metadata: { ...store.metadata, finalizers: own },
})
