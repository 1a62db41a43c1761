/** What one change of a record is called on the change stream (docs/reference/events.md#messages). */
import type { CacheEvent } from '../../cluster/cache/cache.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { defined } from '../../contract/defined.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import type { CacheName } from '../context/caches.ts'
import type { NodeSeen, WorkloadSeen } from '../context/trim.ts'

export type ChangeOp = 'add' | 'update' | 'delete' | 'deploy' | 'create' | 'retry-provision'

/** All that changed of a record: nothing but its status, or its metadata as well; its spec is as it was. */
type ChangedPart = 'status' | 'metadata'

export interface Change {
  readonly type: 'change'
  readonly resource: string
  readonly name: string
  readonly op: ChangeOp
  /** Left out where the spec changed, or may have. */
  readonly part?: ChangedPart
}

/**
 * Caches whose changes go to callers, with the stream's word; nodes go by "resources", the Deployment of a service by
 * that service, sign-in Secrets and pods are not among them.
 */
export const streamedResources = {
  projects: 'projects',
  apps: 'apps',
  databases: 'databases',
  logicalDatabases: 'logical-databases',
  objectStores: 'object-stores',
  deployments: 'deployments',
  builds: 'builds',
  cloudConnections: 'cloud-connections',
  clusters: 'clusters',
  platformConfig: 'platform-config',
  haReadiness: 'ha-readiness',
  backupArchives: 'backup-archives',
  nodes: 'resources',
  workloads: 'apps',
} as const satisfies Partial<Record<CacheName, string>>

export type StreamedCache = keyof typeof streamedResources

/**
 * The message for a change, if it is worth one: a node reports far more often than anything of it changes that is
 * shown.
 */
export function changeOf(cache: StreamedCache, event: CacheEvent<KubeObject>): Change | undefined {
  if (cache === 'nodes' && event.type === 'update' && looksOf(event.object) === looksOf(event.previous))
    return undefined
  if (cache === 'workloads') return copiesChangeOf(event)
  return {
    type: 'change',
    resource: streamedResources[cache],
    name: event.object.metadata.name,
    op: opOf(event),
    ...defined({ part: partOf(event) }),
  }
}

/**
 * How many copies of a service run is read from its Deployment, whose watch may be behind that of the record: what was
 * read again for the record then has the old number, and nothing else would say that there is another. Its end
 * shows in the record.
 */
function copiesChangeOf({ type, object, previous }: CacheEvent<WorkloadSeen>): Change | undefined {
  if (type === 'delete' || copiesOf(object) === copiesOf(previous)) return undefined
  return {
    type: 'change',
    resource: streamedResources.workloads,
    name: object.metadata.name,
    op: 'update',
    part: 'status',
  }
}

/** By the generation, which the cluster counts up with every change of the spec of a kind that has a status apart. */
function partOf({ type, object, previous }: CacheEvent<KubeObject>): ChangedPart | undefined {
  if (type !== 'update' || previous === undefined) return undefined
  const [now, before] = [object.metadata, previous.metadata]
  if (now.generation === undefined || now.generation !== before.generation || now.uid !== before.uid) return undefined
  return notesOf(now) === notesOf(before) ? 'status' : 'metadata'
}

const notesOf = ({ annotations: notes, labels, deletionTimestamp }: KubeObject['metadata']): string =>
  JSON.stringify([notes, labels, deletionTimestamp])

/** Too much happened to name it all. */
export const everything: Change = { type: 'change', resource: 'resources', name: '', op: 'update' }

/** Derived from the record alone, so every replica says the same of every change. */
export function opOf({ type, object, previous }: CacheEvent<KubeObject>): ChangeOp {
  if (type === 'delete') return 'delete'
  const changed = (name: string): boolean =>
    valueOf(object, name) !== undefined && valueOf(object, name) !== valueOf(previous, name)
  if (type === 'add') return madeThroughApi(object) ? 'create' : 'add'
  if (changed(annotations.attempt)) return 'deploy'
  return changed(annotations.retry) ? 'retry-provision' : 'update'
}

/** Stronger words survive when several changes of one record become one message. */
const strength: Record<ChangeOp, number> = { update: 0, add: 1, create: 2, 'retry-provision': 2, deploy: 3, delete: 4 }

/**
 * The message for both, of all that either changed; a record that came back after its deletion is an `add` again. An
 * update after it is one of its copies alone.
 */
export function merge(earlier: Change, later: Change): Change {
  if (earlier.op === 'delete') return later.op === 'update' ? earlier : later
  const said = withoutPart(strength[later.op] >= strength[earlier.op] ? later : earlier)
  const parts = [earlier.part, later.part]
  if (parts.includes(undefined)) return said
  return { ...said, part: parts.includes('metadata') ? 'metadata' : 'status' }
}

export const withoutPart = ({ type, resource, name, op }: Change): Change => ({ type, resource, name, op })

const valueOf = (object: KubeObject | undefined, name: string): string | undefined =>
  object?.metadata.annotations?.[name]

function madeThroughApi(object: KubeObject): boolean {
  return (
    valueOf(object, annotations.attempt) !== undefined ||
    (valueOf(object, annotations.pendingChanges) ?? '').includes('created')
  )
}

/** What is shown of a node. */
function looksOf(node: NodeSeen | undefined): string {
  return JSON.stringify([node?.metadata.labels, node?.metadata.deletionTimestamp, node?.spec, node?.status])
}

/** What is shown of the Deployment of a service. */
function copiesOf(workload: WorkloadSeen | undefined): string {
  const { readyReplicas, availableReplicas } = workload?.status ?? {}
  return JSON.stringify([workload?.spec?.replicas, readyReplicas, availableReplicas])
}
