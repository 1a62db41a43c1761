/** Saves settings of a store: those of a bucket wait for its deploy, those of the object server apply at once. */
import { withEdit } from '../../kinds/provision/draft.ts'
import { withLiveEditor } from '../../kinds/provision/edited-by.ts'
import { effectiveStoreSpec, isObjectServer, storeDraft } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { type StoreSettings, withStoreSettings } from '../../kinds/object-stores/settings.ts'
import { editRecord, found, refusedLive } from '../store/edit-record.ts'
import { refuseStore } from './deploy-store.ts'
import type { StoreNeeds } from './needs.ts'

/** One conditional write. Throws Problem not_found, invalid_request. */
export async function saveStoreSettings(
  needs: StoreNeeds,
  name: string,
  settings: StoreSettings,
  ifMatch?: string,
  actor?: string,
): Promise<ObjectStore> {
  await refusedLive(needs.objectStores, name, async () => {
    const store = found('bucket', await needs.objectStores.read(name))
    await refuseStore(needs, { ...store, spec: withStoreSettings(store.spec, settings) })
  })
  return editRecord<ObjectStore>(
    needs.objectStores,
    'bucket',
    name,
    (current) => {
      const spec = withStoreSettings(current.spec, settings)
      const edited = isObjectServer(spec) ? { ...current, spec } : withEdit(storeDraft, current, spec)
      return withLiveEditor(effectiveStoreSpec, current, edited, actor)
    },
    ifMatch,
  )
}
