/**
 * Collects the contents of a platform backup: records, and the Secrets and ConfigMaps of svc-system that belong to
 * them.
 */
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, withKind } from '../../cluster/objects/resource-type.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { attemptLogPurpose } from '../store/attempt-history.ts'
import { functionRunsPurpose } from '../../kinds/apps/names.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import { momentOf } from '../../kinds/backup-archives/schedule.ts'
import { effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { effectiveStoreSpec, isExternal, isObjectServer } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import {
  type BackupEntry,
  isAccountToken,
  type KeptRecord,
  keptRecords,
  type OwnerKind,
  ownerKinds,
} from '../../kinds/platform-backups/entry.ts'
import { isPlatformSetting } from '../../kinds/secrets/named-secret.ts'
import { withSuccessLogs } from './success-logs.ts'
import { signInSecrets } from '../../kinds/system-secrets.ts'
import { authLabel } from '../secrets/auth-secret.ts'
import { defined } from '../../contract/defined.ts'

type Secret = KubeObject & { type?: string }
type Found = Record<KeptRecord, KubeObject[]>
type Owners = ReadonlyMap<string, { kind: OwnerKind; name: string }>

/**
 * A deploy may be accepted between the reads of one reading. A frozen Secret that is missing in every reading is gone.
 */
const readings = 3

/** In the order of a restore, with the users last. Each kind is read live by a list. */
export async function collectEntries(client: ClusterClient): Promise<BackupEntry[]> {
  for (let reading = 1; ; reading += 1) {
    const found = await readRecords(client)
    const [secrets, logs] = [await list<Secret>(client, 'secret'), await list<KubeObject>(client, 'configMap')]
    if (reading === readings || hasFrozenSecrets(found, secrets))
      return entriesOf(found, secrets.filter(isKeptSecret), withSuccessLogs(found, logs.filter(isKeptLog)))
  }
}

async function readRecords(client: ClusterClient): Promise<Found> {
  const found: Partial<Found> = {}
  for (const kind of keptRecords) {
    const { items } = await client.list<KubeObject>(resourceTypes[kind], { namespace: systemNamespace })
    const kept = items.filter((record) => isKept(record) && (kind !== 'backupArchive' || isVerified(record as BackupArchive))) // prettier-ignore
    found[kind] = kept.map((record) => withKind(resourceTypes[kind], record)).sort(byAge)
  }
  return found as Found
}

async function list<T extends KubeObject>(client: ClusterClient, type: 'secret' | 'configMap'): Promise<T[]> {
  const { items } = await client.list<T>(coreTypes[type], { namespace: systemNamespace })
  return items.filter(isKept).map((object) => withKind(coreTypes[type], object))
}

/** Objects that are being deleted are left out, and so are those with an owner reference, which are made again. */
const isKept = ({ metadata: { deletionTimestamp, ownerReferences = [] } }: KubeObject): boolean =>
  deletionTimestamp === undefined && ownerReferences.length === 0

const keptSignIns: ReadonlySet<string> = new Set(['users', 'token'])

/**
 * Secrets that svc made, or that were made by hand for a project or a setting. Pending device sign-ins are left out.
 */
function isKeptSecret(secret: Secret): boolean {
  const { [authLabel]: signIn, [labels.managedBy]: manager, [labels.project]: project } = secret.metadata.labels ?? {}
  if (signIn !== undefined) return keptSignIns.has(signIn)
  if (isAccountToken(secret)) return false
  return manager === managedBySvc || project !== undefined || isPlatformSetting(secret)
}

const isKeptLog = ({ metadata }: KubeObject): boolean =>
  [attemptLogPurpose, functionRunsPurpose].includes(metadata.labels?.[labels.purpose] ?? '')

function entriesOf(found: Found, secrets: readonly KubeObject[], logs: readonly KubeObject[]): BackupEntry[] {
  const owners = new Map(
    ownerKinds.flatMap((kind) => found[kind].map(({ metadata: { uid = '', name } }) => [uid, { kind, name }] as const)),
  )
  const kept = [...secrets, ...logs].flatMap((object) => entryOf(object, owners) ?? [])
  const isUsers = ({ object }: BackupEntry) => object.metadata.name === signInSecrets.users
  const ofApps = kept.filter(({ owner }) => owner?.kind === 'app')
  const archives = found.backupArchive as BackupArchive[]
  return keptRecords
    .flatMap((kind) => {
      const records = found[kind].flatMap((record) => entryOf(record, owners) ?? [])
      if (kind === 'project') return [...records, ...kept.filter((each) => !ofApps.includes(each) && !isUsers(each))]
      if (kind === 'app') return [...records, ...ofApps]
      if (kind === 'objectStore')
        return records.map((entry) => withObjects(entry, recordOf<ObjectStore>(found[kind], entry), archives))
      if (kind !== 'database') return records
      return records.map((entry) => withData(entry, recordOf<Database>(found[kind], entry), archives))
    })
    .concat(kept.filter(isUsers))
}

const recordOf = <T extends KubeObject>(records: readonly KubeObject[], { object }: BackupEntry): T =>
  records.find(({ metadata: { name } }) => name === object.metadata.name) as T // it was made from that record

/** Undefined for an object whose owner is not in the backup: svc makes it again, or it was removed with its owner. */
function entryOf(object: KubeObject, owners: Owners): BackupEntry | undefined {
  const { [labels.owner]: uid, ...own } = object.metadata.labels ?? {}
  const owner = uid === undefined ? undefined : owners.get(uid)
  if (uid !== undefined && owner === undefined) return undefined
  const { 'kubectl.kubernetes.io/last-applied-configuration': _, ...notes } = object.metadata.annotations ?? {}
  const metadata = { name: object.metadata.name, labels: own, annotations: notes }
  return { ...defined({ owner }), object: { ...object, metadata } }
}

/**
 * Adds the newest backup of a database, from which a restore begins. Backups in a bucket on the cluster are lost with
 * it, and a highly available database cannot be restored into.
 */
function withData(entry: BackupEntry, database: Database, archives: readonly BackupArchive[]): BackupEntry {
  const spec = effectiveDatabaseSpec(database)
  if (spec === undefined || spec.placement !== 'InCluster' || spec.highAvailability) return entry
  return withNewest(
    entry,
    archives.filter(({ spec: of }) => of.databaseUid === database.metadata.uid && of.engine === spec.engine),
  )
}

/** As `withData`, for a bucket. A store that now has another number of buckets begins empty. */
function withObjects(entry: BackupEntry, store: ObjectStore, archives: readonly BackupArchive[]): BackupEntry {
  const spec = effectiveStoreSpec(store)
  if (spec === undefined || isObjectServer(spec) || isExternal(spec)) return entry
  const count = spec.buckets.length
  return withNewest(
    entry,
    archives.filter(({ spec: of }) => of.databaseUid === store.metadata.uid && of.buckets?.length === count),
  )
}

function withNewest(entry: BackupEntry, own: readonly BackupArchive[]): BackupEntry {
  const newest = own
    .filter(({ spec: { source }, status }) => source === 'CloudConnection' && status?.lastRestorePoint !== undefined)
    .toSorted((a, b) => momentOf(b) - momentOf(a))[0]
  if (newest === undefined) return entry
  return { ...entry, data: { archive: newest.metadata.name, point: newest.status?.lastRestorePoint ?? '' } }
}

/**
 * Whether every frozen Secret of a release was found. Records are read before Secrets, and a deploy in between may have
 * removed a Secret that a record names.
 */
function hasFrozenSecrets({ app }: Found, secrets: readonly Secret[]): boolean {
  const names = new Set(secrets.map(({ metadata }) => metadata.name))
  return app.every((record) => {
    const release = viewOf(record as App).attempt?.release
    return release === undefined || names.has(release)
  })
}

const byAge = (a: KubeObject, b: KubeObject): number =>
  (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '') ||
  a.metadata.name.localeCompare(b.metadata.name)
