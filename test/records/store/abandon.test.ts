/**
 * Deletion of a store whose cloud is gone, cut between any two writes: a store that is not being deleted never gets the
 * annotation, and a second request completes it.
 */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { isAbandoned, isNotedAbandoned } from '../../../kinds/provision/abandon.ts'
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

  for (const { when, write } of points) {
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
          { abandon: true },
        ),
      )
      const left = (await records.objectStores.readLive(name)) ?? expect.fail(name)
      const [isDeleted, isNoted] = [write === 2 || when === 'after', write === 2 && when === 'after']
      expect([left.metadata.deletionTimestamp !== undefined, isNotedAbandoned(left)]).to.deep.equal([
        isDeleted,
        isNoted,
      ])
      await askStoreDeletion(records, left, name, { abandon: true })
      expect(isAbandoned((await records.objectStores.readLive(name)) ?? expect.fail(name))).to.equal(true)
      await records.objectStores.edit(name, (current) => withFinalizers(current, []))
      expect(await records.objectStores.readLive(name)).to.equal(undefined)
    })
  }
})

const withFinalizers = (store: ObjectStore, own: string[]): ObjectStore => ({
  ...store,
  metadata: { ...store.metadata, finalizers: own },
})
