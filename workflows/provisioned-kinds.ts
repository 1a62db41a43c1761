/** The workflows of the provisioned kinds, by their types on Temporal: each further kind needs one more. */
import type { ReconcileInput } from '../durable/messages.ts'
import type { ProvisionedKind } from '../kinds/meta/resource-types.ts'
import { type Calls, callsFor } from './calls.ts'
import { backupWork } from './backup-archives/work.ts'
import { connectionWork } from './cloud-connections/work.ts'
import { databaseWork } from './databases/work.ts'
import { logicalDatabaseWork } from './logical-databases/work.ts'
import { storeWork } from './object-stores/work.ts'
import { provisioned, type ProvisionWork } from './provision.ts'

/** The workflow of a kind; the workflow id is that of durable/ids.ts, e.g. `database/orders`. */
const workflow =
  (kind: ProvisionedKind, work: (calls: Calls) => ProvisionWork) =>
  (input: ReconcileInput): Promise<void> =>
    provisioned(kind, input, work(callsFor(input.policy)))

/** A database server on this cluster, at a cloud, or one that exists elsewhere and is connected. */
export const database = workflow('database', databaseWork)
export const logicalDatabase = workflow('logicalDatabase', logicalDatabaseWork)
/** The object server of the cluster, a bucket on it, or buckets in a cloud account. */
export const objectStore = workflow('objectStore', storeWork)
/** One backup of a database or a bucket: stored, read back, kept until it is deleted. */
export const backup = workflow('backupArchive', backupWork)
/** A cloud connection: checked, kept from deletion while records use it, removed with its keys. */
export const cloudConnection = workflow('cloudConnection', connectionWork)
