/** A store for callers who may not change it (docs/reference/databases.md#redaction-of-data-resources). */
import { conditionsWithoutNames } from '../meta/without-names.ts'
import type { ObjectStoreSpec, ObjectStoreStatus } from './kind.ts'

export function redactedObjectStore({ project, environment, placement, deploy }: ObjectStoreSpec) {
  return { project, environment, engine: '', placement, connectionRef: { name: '' }, region: '', buckets: [], deploy }
}

export function redactedObjectStoreStatus({
  connectionSecret: _,
  endpoint: __,
  targetNamespace: ___,
  remote: ____,
  buckets: _____,
  lastBackup: ______,
  restored: _______,
  ...kept
}: ObjectStoreStatus = {}): ObjectStoreStatus {
  return conditionsWithoutNames(kept)
}
