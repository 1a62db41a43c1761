/**
 * The workflow ids: one id per resource is its mutex, so at most one run works on it
 * (docs/decisions/0001-the-record-is-the-truth.md).
 */

/** The kinds whose records are reconciled by a workflow of their own. */
export type ReconciledKind =
  'app' | 'project' | 'database' | 'logicalDatabase' | 'objectStore' | 'cloudConnection' | 'platform'

/** The workflow type that reconciles each kind. */
export const settlingWorkflow = {
  app: 'service',
  project: 'project',
  database: 'database',
  logicalDatabase: 'logicalDatabase',
  objectStore: 'objectStore',
  cloudConnection: 'cloudConnection',
  platform: 'platform',
} as const satisfies Record<ReconciledKind, string>

const idPrefixes = {
  app: 'app',
  project: 'project',
  database: 'database',
  logicalDatabase: 'logical-database',
  objectStore: 'object-store',
  cloudConnection: 'cloud-connection',
  platform: 'platform',
} as const satisfies Record<ReconciledKind, string>

/** The id of the one workflow that may change this resource, e.g. `app/calm-otter`. */
export function workflowId(kind: ReconciledKind, name: string): string {
  return `${idPrefixes[kind]}/${name}`
}

/** The record that the run of this id reconciles; undefined for the id of any other run. */
export function settledBy(id: string): { kind: ReconciledKind; name: string } | undefined {
  const slash = id.indexOf('/')
  const found = (Object.keys(idPrefixes) as ReconciledKind[]).find((kind) => idPrefixes[kind] === id.slice(0, slash))
  return found === undefined ? undefined : { kind: found, name: id.slice(slash + 1) }
}

/** The Schedule that compares every record with its workflow once in a while. */
export const resyncScheduleId = 'resync'

/** The workflow type that delivers one event to one webhook. */
export const deliveryWorkflow = 'webhookDelivery'

/** One delivery of one event of one deploy: started a second time it is refused, so each is sent once. */
export function deliveryId(webhook: string, record: string, event: string): string {
  return `webhook/${webhook}/${record}/${event}`
}
