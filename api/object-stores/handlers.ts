/** The handlers of buckets and of the object server. */
import { canMutate } from '../../contract/caller.ts'
import type { OperationsOf } from '../../contract/operations.ts'
import type { ResourceSummary } from '../../contract/views/resource.ts'
import { archiveName } from '../../kinds/backup-archives/names.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { withoutNames } from '../../kinds/meta/without-names.ts'
import { storeDraft, storeProvisionState } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { redactedObjectStore, redactedObjectStoreStatus } from '../../kinds/object-stores/redact.ts'
import { objectStoreSummary } from '../../kinds/object-stores/summary.ts'
import { discardChanges, found, mintDeployRequest, retryRecord } from '../../records/store/edit-record.ts'
import { askBucketBackup } from '../../records/backups/ask-bucket-backup.ts'
import { readArchive } from '../../records/backups/read-archive.ts'
import { askStoreDeletion } from '../../records/object-stores/ask-deletion.ts'
import { createStore, newStoreSpec } from '../../records/object-stores/create-store.ts'
import { deployStore } from '../../records/object-stores/deploy-store.ts'
import { restoreStore } from '../../records/object-stores/restore-store.ts'
import { saveStoreSettings } from '../../records/object-stores/save-settings.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import { askedBy, deletionBy, wakeRecord } from '../context/wakes.ts'
import type { Needs } from '../context/needs.ts'
import { createBackupTrouble } from '../views/backup-trouble.ts'
import { withVersion } from '../views/record-version.ts'
import { createSummaryList } from '../views/summary-list.ts'

export const objectStoreHandlers = (needs: Needs) => {
  const trouble = createTrouble(needs)
  return {
    'object-stores.list': list(needs, trouble),
    'object-stores.create': create(needs),
    'object-stores.get': get(needs, trouble),
    'object-stores.update': update(needs),
    'object-stores.delete': deleteStore(needs),
    'object-stores.deploy': deploy(needs),
    'object-stores.discard': discard(needs),
    'object-stores.retry-provision': retryProvision(needs),
    'object-stores.restore': restore(needs),
    'object-stores.backup': backup(needs),
  } satisfies HandlerTable<OperationsOf<'object-stores'>>
}

type Trouble = ReturnType<typeof createTrouble>

/** Gives the summary of a ready store the trouble of its backups as the message; the same summary without trouble. */
function createTrouble(needs: Needs) {
  const backups = createBackupTrouble(needs)
  return (summary: ResourceSummary, full: boolean): ResourceSummary => {
    if (summary.state !== 'ready' || summary.message !== '') return summary
    const message = backups(needs.caches.objectStores.get(summary.name, systemNamespace)?.metadata.uid ?? '')
    return message === '' ? summary : { ...summary, message: full ? message : withoutNames(message) }
  }
}

/** `GET /object-stores`: buckets and the object server from the cache, each with the trouble of its backups. */
const list = ({ caches }: Needs, trouble: Trouble): Handler<'object-stores.list'> => {
  const summaries = createSummaryList(caches.objectStores, objectStoreSummary)
  return async (call) => {
    const view = await summaries(call)
    const items = view.items.map((summary) => trouble(summary, canMutate(call.caller)))
    // The same view again, so that its text is not made twice.
    return items.every((summary, place) => summary === view.items[place]) ? view : { items }
  }
}

/** `POST /object-stores`: a draft of a bucket, or the object server of the cluster. */
const create =
  (needs: Needs): Handler<'object-stores.create'> =>
  async (call) => {
    const { name: wanted, draft: _, deploy, ...fields } = call.params
    const request = mintDeployRequest(askedBy(call), needs.writes.now())
    const { metadata, spec } = await createStore(needs.writes, wanted, newStoreSpec(fields), request, deploy === true)
    wakeRecord(needs, 'objectStore', metadata.name, spec.deploy.enabled ? 'created and deployed' : 'created', call)
    return { ok: true, name: metadata.name, kind: 'object-stores', ...(spec.deploy.enabled ? { deployed: true } : {}) }
  }

/**
 * `GET /object-stores/{name}`: the whole store; fields that callers without the right to change it may not see are
 * blank.
 */
const get =
  (needs: Needs, trouble: Trouble): Handler<'object-stores.get'> =>
  async ({ params, caller }) => {
    const store = await storeOf(needs, params.store)
    const full = canMutate(caller)
    const view = {
      resource: trouble(objectStoreSummary(store, full), full),
      spec: { ...(full ? store.spec : redactedObjectStore(store.spec)) },
      status: { ...(full ? store.status : redactedObjectStoreStatus(store.status)) },
    }
    return withVersion(view, store)
  }

/** `PATCH /object-stores/{name}`: settings of a bucket wait for its deploy, except those of its backups. */
const update =
  (needs: Needs): Handler<'object-stores.update'> =>
  async (call) => {
    const { store, ...settings } = call.params
    await saveStoreSettings(needs.writes, store, settings, call.ifMatch, askedBy(call).actor)
    wakeRecord(needs, 'objectStore', store, 'settings changed', call)
    return { ok: true }
  }

/** `DELETE /object-stores/{name}`: deletes the record; one without a finalizer is gone at once. */
const deleteStore =
  (needs: Needs): Handler<'object-stores.delete'> =>
  async (call) => {
    const { store, confirmName, abandon = false, backupFirst = true } = call.params
    if (abandon) call.respond.audit({ abandon: 'on' })
    if (!backupFirst) call.respond.audit({ backupFirst: 'off' })
    const how = { abandon, backupFirst, asked: deletionBy(needs, call) }
    const stays = await askStoreDeletion(needs.writes, await liveStoreOf(needs, store), confirmName, how)
    wakeRecord(needs, 'objectStore', store, 'deletion requested', call)
    return abandon ? { ok: true, stays } : { ok: true }
  }

/** `POST /object-stores/{name}/deploy`: deploys the saved spec. */
const deploy =
  (needs: Needs): Handler<'object-stores.deploy'> =>
  async (call) => {
    await deployStore(needs.writes, call.params.store, askedBy(call), call.ifMatch)
    wakeRecord(needs, 'objectStore', call.params.store, 'deploy requested', call)
    return { ok: true }
  }

/** `POST /api/object-stores/{store}/discard`: saves the deployed settings again; live ones stay as they are. */
const discard =
  (needs: Needs): Handler<'object-stores.discard'> =>
  async ({ params, ifMatch }) => {
    await discardChanges(needs.writes.objectStores, storeDraft, 'bucket', params.store, ifMatch)
    return { ok: true }
  }

/** `POST /api/object-stores/{store}/retry-provision`: retries a failed provisioning, also of the object server. */
const retryProvision =
  (needs: Needs): Handler<'object-stores.retry-provision'> =>
  async (call) => {
    const { store } = call.params
    await retryRecord(
      needs.writes.objectStores,
      'bucket',
      store,
      storeProvisionState,
      askedBy(call).actor,
      call.ifMatch,
    )
    wakeRecord(needs, 'objectStore', store, 'retry requested', call)
    return { ok: true }
  }

/** `POST /object-stores/restore`: a new bucket in the environment of the backup; ready once it has the objects. */
const restore =
  (needs: Needs): Handler<'object-stores.restore'> =>
  async (call) => {
    const { writes, records } = needs
    const { archive } = call.params
    const from = await readArchive(records.backupArchives, archive)
    const request = mintDeployRequest(askedBy(call), writes.now())
    const { metadata } = await restoreStore(writes, from, request)
    wakeRecord(needs, 'objectStore', metadata.name, `restored from ${archive}`, call)
    return { ok: true, name: metadata.name, kind: 'object-stores', deployed: true }
  }

/** `POST /object-stores/{name}/backup`: starts a backup; answers its name. */
const backup =
  (needs: Needs): Handler<'object-stores.backup'> =>
  async (call) => {
    const { writes } = needs
    const store = await liveStoreOf(needs, call.params.store)
    const { actor } = askedBy(call)
    const name = archiveName(store.metadata.name, writes.now())
    const { metadata } = await askBucketBackup(writes, store, { name, trigger: 'Manual', actor })
    wakeRecord(needs, 'backupArchive', metadata.name, 'backup requested', call)
    return { ok: true, archive: metadata.name }
  }

/** The store of a call. */
const storeOf = async ({ records }: Needs, name: string): Promise<ObjectStore> =>
  found('bucket', await records.objectStores.read(name))

/** The live record: for a change of this very record, whose name another one may have had a moment ago. */
const liveStoreOf = async ({ records }: Needs, name: string): Promise<ObjectStore> =>
  found('bucket', await records.objectStores.readLive(name))
