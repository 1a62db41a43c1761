/** The change messages of the event stream (docs/reference/events.md#messages). */
import type { CacheEvent } from '../../cluster/cache/cache.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { defined } from '../../contract/defined.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import type { CacheName } from '../context/caches.ts'
import type { NodeSeen, WorkloadSeen } from '../context/trim.ts'

export type ChangeOp = 'add' | 'update' | 'delete' | 'deploy' | 'create' | 'retry-provision'

/** Which part of a record changed beside its unchanged spec: the status alone, or the metadata as well. */
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
 * The caches whose changes are streamed, with the resource of the message. Nodes are `resources`, and a Deployment is
 * its service; Secrets for signing in and pods are not streamed.
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
 * The message for a change; undefined for a change that callers do not see: a node sends status updates far more often
 * than its shown fields change.
 */
export function changeOf(cache: StreamedCache, event: CacheEvent<KubeObject>): Change | undefined {
  if (cache === 'nodes' && event.type === 'update' && shownFieldsOf(event.object) === shownFieldsOf(event.previous))
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
 * The number of running copies comes from the Deployment, whose watch may lag behind that of the record: a view that
 * was read again after a change of the record may have the old number, so a change of the Deployment needs a message of
 * its own. Its deletion shows in the record.
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

/**
 * By `metadata.generation`, which the API server increases with each change of the spec of a kind with a status
 * subresource.
 */
function partOf({ type, object, previous }: CacheEvent<KubeObject>): ChangedPart | undefined {
  if (type !== 'update' || previous === undefined) return undefined
  const [now, before] = [object.metadata, previous.metadata]
  if (now.generation === undefined || now.generation !== before.generation || now.uid !== before.uid) return undefined
  return notesOf(now) === notesOf(before) ? 'status' : 'metadata'
}

const notesOf = ({ annotations: notes, labels, deletionTimestamp }: KubeObject['metadata']): string =>
  JSON.stringify([notes, labels, deletionTimestamp])

/** The message when too many records changed to name them. */
export const overflow: Change = { type: 'change', resource: 'resources', name: '', op: 'update' }

/** Derived from the record alone, so that every replica sends the same word for a change. */
export function opOf({ type, object, previous }: CacheEvent<KubeObject>): ChangeOp {
  if (type === 'delete') return 'delete'
  const changed = (name: string): boolean =>
    valueOf(object, name) !== undefined && valueOf(object, name) !== valueOf(previous, name)
  if (type === 'add') return madeThroughApi(object) ? 'create' : 'add'
  if (changed(annotations.attempt)) return 'deploy'
  return changed(annotations.retry) ? 'retry-provision' : 'update'
}

/** Which word remains when several changes of one record become one message: the stronger one. */
const strength: Record<ChangeOp, number> = { update: 0, add: 1, create: 2, 'retry-provision': 2, deploy: 3, delete: 4 }

/**
 * The message for two changes of one record; a record that was created again after its deletion is an `add`. An update
 * after the deletion can only be one of its Deployment.
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

/** The shown fields of a node. */
function shownFieldsOf(node: NodeSeen | undefined): string {
  return JSON.stringify([node?.metadata.labels, node?.metadata.deletionTimestamp, node?.spec, node?.status])
}

/** The shown fields of a service's Deployment. */
function copiesOf(workload: WorkloadSeen | undefined): string {
  const { readyReplicas, availableReplicas } = workload?.status ?? {}
  return JSON.stringify([workload?.spec?.replicas, readyReplicas, availableReplicas])
}
