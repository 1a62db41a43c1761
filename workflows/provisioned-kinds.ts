/** The workflows of the provisioned kinds, by their types on Temporal: a further kind is one more of them. */
import type { ReconcileInput } from '../durable/messages.ts'
import type { ProvisionedKind } from '../kinds/meta/resource-types.ts'
import { type Calls, callsFor } from './calls.ts'
import { backupWork } from './backup-archives/work.ts'
import { connectionWork } from './cloud-connections/work.ts'
import { databaseWork } from './databases/work.ts'
import { logicalDatabaseWork } from './logical-databases/work.ts'
import { storeWork } from './object-stores/work.ts'
import { provisioned, type ProvisionWork } from './provision.ts'

/** The workflow of a kind; the id of a run is that of durable/ids.ts, e.g. `database/orders`. */
const workflow =
  (kind: ProvisionedKind, work: (calls: Calls) => ProvisionWork) =>
  (input: ReconcileInput): Promise<void> =>
    provisioned(kind, input, work(callsFor(input.policy)))

/** A server on this cluster, at a cloud, or one that exists and is connected to. */
export const database = workflow('database', databaseWork)
export const logicalDatabase = workflow('logicalDatabase', logicalDatabaseWork)
/** The server of the cluster, a bucket on it, or buckets in a cloud account. */
export const objectStore = workflow('objectStore', storeWork)
/** One backup of a database: stored, read back, kept until it is deleted. */
export const backup = workflow('backupArchive', backupWork)
/** Checked, held while it is used, removed with its keys. */
export const cloudConnection = workflow('cloudConnection', connectionWork)
