/**
 * Accepts the deploy of a database. Capacity and add-ons are checked first, while the caller still waits for an answer.
 */
import { highAvailabilityCopies } from '../../contract/limits.ts'
import { refuse } from '../../contract/problem.ts'
import type { Database, DatabaseSpec } from '../../kinds/databases/kind.ts'
import { databaseCapacity } from '../../kinds/databases/sizes.ts'
import type { DeployRequest } from '../../kinds/provision/deploy-request.ts'
import { type Asked, deployRecord, mintDeployRequest, found } from '../store/edit-record.ts'
import { refuseConnection } from '../secrets/connection-ref.ts'
import type { DatabaseNeeds } from './needs.ts'

/**
 * One conditional write of the record; its workflow does the rest. Throws Problem not_found, invalid_request (being
 * deleted, no capacity, an add-on that is not installed). Without `backupFirst` another version opens the data without
 * a backup before (docs/reference/backups.md#before-another-version).
 */
export async function deployDatabase(
  needs: DatabaseNeeds,
  name: string,
  { backupFirst = true, ...asked }: Asked & { backupFirst?: boolean },
  ifMatch?: string,
): Promise<Database> {
  const minted = mintDeployRequest(asked, needs.now())
  const request: DeployRequest = backupFirst ? minted : { ...minted, withoutBackup: true }
  // This edit writes nothing and only compares the version, so that no capacity is reserved for a deploy that will be
  // refused.
  if (ifMatch !== undefined) await needs.databases.edit(name, () => undefined, ifMatch)
  // Read live: capacity is reserved for the settings that are deployed, and those may have been saved a moment ago.
  await refuseUndeployable(needs, found('database', await needs.databases.readLive(name)), request.id)
  return deployRecord<DatabaseSpec, Database>(needs.databases, 'database', name, request, () => undefined, ifMatch)
}

/** Throws Problem invalid_request. Reserves the capacity for this deploy for a minute. */
export async function refuseUndeployable(
  needs: DatabaseNeeds,
  { metadata, spec }: Database,
  attempt: string,
): Promise<void> {
  const { placement, provider, connectionRef, project, instances, mode, engine } = spec
  if (metadata.deletionTimestamp !== undefined) throw refuse('the database is being deleted')
  if (placement === 'External') {
    if (mode === 'Connect') return // its workflow connects, and says why not
    if (provider === '' || connectionRef === undefined)
      throw refuse('an external database needs a provider and a connectionRef')
    await refuseConnection(needs, connectionRef.name, { project, provider })
    if (mode === 'Create' && provider === 'AWS')
      throw refuse('databases at AWS cannot be made from here; make one there and use mode Connect')
    if (mode === 'Create' && engine !== 'mysql') throw refuse('a database at PlanetScale must be mysql')
    return
  }
  if (instances >= highAvailabilityCopies && !(await needs.canReplicate())) {
    throw refuse('high availability needs the CloudNativePG operator, which is not installed on this cluster')
  }
  await needs.reserveCapacity(metadata.uid ?? attempt, databaseCapacity(spec), attempt)
}
