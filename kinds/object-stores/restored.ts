/** A bucket as a restore of the platform writes it: with the objects of its newest backup, or empty. */
import { defined } from '../../contract/defined.ts'
import { annotations } from '../meta/annotations.ts'
import { draftOf } from '../provision/draft.ts'
import { storeDraft } from './draft.ts'
import type { ObjectStore, ObjectStoreSpec } from './kind.ts'

/** The record of a bucket that begins with the backup `from`, or empty when that is undefined. */
export function storeBeginningWith(store: ObjectStore, from: ObjectStoreSpec['restoreFrom']): ObjectStore {
  const begun = ({ restoreFrom: _, ...spec }: ObjectStoreSpec): ObjectStoreSpec => ({
    ...spec,
    ...defined({ restoreFrom: from }),
  })
  const { lastDeployed } = draftOf(storeDraft, store)
  const notes = store.metadata.annotations ?? {}
  return {
    ...store,
    metadata: {
      ...store.metadata,
      annotations:
        lastDeployed === undefined
          ? notes
          : { ...notes, [annotations.lastDeployed]: JSON.stringify(begun(lastDeployed)) },
    },
    spec: begun(store.spec),
  }
}
