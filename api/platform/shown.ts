/** Records as `bootstrap` shows them: whole for callers who may change them, redacted for others. */
import type { KubeObject, Meta } from '../../cluster/objects/object.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { redactedApp, redactedAppStatus } from '../../kinds/apps/redact.ts'
import type { App, AppStatus } from '../../kinds/apps/kind.ts'
import type { BackupArchive, BackupArchiveStatus } from '../../kinds/backup-archives/kind.ts'
import type { ClusterStatus } from '../../kinds/clusters/kind.ts'
import type { Database, DatabaseStatus } from '../../kinds/databases/kind.ts'
import { redactedDatabase, redactedDatabaseStatus } from '../../kinds/databases/redact.ts'
import type { Deployment, DeploymentStatus } from '../../kinds/deployments/kind.ts'
import type { HaReadinessStatus } from '../../kinds/ha-readiness/kind.ts'
import type { LogicalDatabase, LogicalDatabaseStatus } from '../../kinds/logical-databases/kind.ts'
import { conditionsWithoutNames } from '../../kinds/meta/without-names.ts'
import { redactedLogicalDatabase, redactedLogicalDatabaseStatus } from '../../kinds/logical-databases/redact.ts'
import type { ObjectStore, ObjectStoreStatus } from '../../kinds/object-stores/kind.ts'
import { redactedObjectStore, redactedObjectStoreStatus } from '../../kinds/object-stores/redact.ts'
import { redactedProject } from '../../kinds/projects/redact.ts'
import type { Project, ProjectStatus } from '../../kinds/projects/kind.ts'

/** Each has all three, so that a dashboard may read within them: empty where the record has none, or none is shown. */
export interface Shown {
  readonly metadata: Partial<Meta>
  readonly spec: object
  readonly status: object
}

export interface Listed {
  readonly items: Shown[] | null
}

type Recorded = KubeObject & { spec?: object | undefined; status?: object | undefined }

/** The annotations that all callers see: those with copies of a spec would show as much as the spec. */
const openAnnotations: readonly string[] = [annotations.displayName, annotations.pendingChanges]

export const whole = ({ metadata, spec = {}, status = {} }: Recorded): Shown => ({ metadata, spec, status })

export const redacted = {
  project: (project: Project): Shown => ({ ...outline(project), spec: redactedProject(project.spec) }),
  app: (app: App): Shown => ({
    ...outline({ ...app, status: redactedAppStatus(app.status) }),
    spec: redactedApp(app.spec),
  }),
  deployment: (deployment: Deployment): Shown => ({
    ...outline(deployment),
    spec: { ...deployment.spec, image: '', source: '' },
  }),
  database: (database: Database): Shown => ({
    ...outline({ ...database, status: redactedDatabaseStatus(database.status) }),
    spec: redactedDatabase(database.spec),
  }),
  logicalDatabase: (database: LogicalDatabase): Shown => ({
    ...outline({ ...database, status: redactedLogicalDatabaseStatus(database.status) }),
    spec: redactedLogicalDatabase(database.spec),
  }),
  objectStore: (store: ObjectStore): Shown => ({
    ...outline({ ...store, status: redactedObjectStoreStatus(store.status) }),
    spec: redactedObjectStore(store.spec),
  }),
  backupArchive: (archive: BackupArchive): Shown =>
    outline({ ...archive, status: conditionsWithoutNames(archive.status ?? {}) }),
  other: (object: Recorded): Shown => outline(object),
}

/** Identity and state of a record: conditions, but no addresses and no names of Secrets. */
function outline({ metadata, status }: Recorded): Shown {
  const { name, namespace, uid, creationTimestamp, deletionTimestamp, labels } = metadata
  const open = Object.entries(metadata.annotations ?? {}).filter(([key]) => openAnnotations.includes(key))
  const kept = {
    name,
    namespace,
    uid,
    creationTimestamp,
    deletionTimestamp,
    labels,
    annotations: Object.fromEntries(open),
  }
  return { metadata: kept as Partial<Meta>, spec: {}, status: openStatus(status) } // undefined members vanish in JSON
}

type FieldOf<Status> = Status extends object ? keyof Status : never
/** A field of the status of any kind that is listed. */
type StatusField = FieldOf<
  | ProjectStatus
  | AppStatus
  | DatabaseStatus
  | LogicalDatabaseStatus
  | ObjectStoreStatus
  | DeploymentStatus
  | ClusterStatus
  | HaReadinessStatus
  | BackupArchiveStatus
>

const openStatusFields: ReadonlySet<string> = new Set<StatusField>([
  'conditions',
  'observedGeneration',
  'replicas',
  'sleeping',
  'scaleToZero',
  'lastAttempt',
  'url',
  'environments',
  'phase',
  'startedAt',
  'completedAt',
  'availableReplicas',
  'ready',
  'healthyNodes',
  'storageClassReady',
  'clusterReady',
  'addonsReady',
])

function openStatus(status: object = {}): object {
  return Object.fromEntries(Object.entries(status).filter(([field]) => openStatusFields.has(field)))
}
