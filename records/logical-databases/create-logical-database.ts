/** Saves a new logical database on an existing server; it is provisioned at once. */
import type { ClusterClient } from '../../cluster/client.ts'
import type { Params } from '../../contract/operations.ts'
import { Problem, refuse } from '../../contract/problem.ts'
import { annotations, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { withBackupSettings } from '../../kinds/provision/own-backups.ts'
import { logicalBackupsElsewhere } from '../../kinds/logical-databases/shared-servers.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { type LogicalDatabase, logicalDatabaseSpec } from '../../kinds/logical-databases/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { isSqlEngine } from '../../kinds/sql-engines.ts'
import { type Asked, mintDeployRequest, notFound, refusedLive } from '../store/edit-record.ts'
import { createPlaced, makeNamed, type PlaceNeeds } from '../place/place.ts'
import type { RecordStore } from '../store/record-store.ts'
import { recordsOf } from '../place/records-of.ts'

export interface LogicalDatabaseNeeds extends PlaceNeeds {
  client: ClusterClient
  databases: RecordStore<Database>
  logicalDatabases: RecordStore<LogicalDatabase>
  now: () => Date
}

export type NewLogicalDatabase = Params<'logical-databases.create'>

/** Throws Problem: not_found for a missing project or server, invalid_request for a server that it may not use. */
export async function createLogicalDatabase(
  needs: LogicalDatabaseNeeds,
  fields: NewLogicalDatabase,
  asked: Asked,
): Promise<LogicalDatabase> {
  return makeNamed(needs, 'logicalDatabase', fields, fields.name, (name) => createNamed(needs, name, fields, asked))
}

async function createNamed(
  needs: LogicalDatabaseNeeds,
  name: string,
  fields: NewLogicalDatabase,
  asked: Asked,
): Promise<LogicalDatabase> {
  const { project, environment, server, database, connectionLimit, backups, backupRetentionDays } = fields
  await refusedLive(needs.databases, server, async () => refuseServer(await needs.databases.read(server), fields))
  const record: LogicalDatabase = {
    apiVersion,
    kind: resourceTypes.logicalDatabase.kind,
    metadata: {
      name,
      namespace: systemNamespace,
      labels: { [labels.managedBy]: managedBySvc, [labels.project]: project, [labels.environment]: environment },
      annotations: { [annotations.attempt]: JSON.stringify(mintDeployRequest(asked, needs.now())) },
    },
    spec: withBackupSettings(
      logicalDatabaseSpec.parse({
        project,
        environment,
        serverRef: server,
        databaseName: database,
        connectionLimit,
      }),
      { backups, backupRetentionDays },
    ),
  }
  return createPlaced(needs, 'logicalDatabase', needs.logicalDatabases, record, async (created) => {
    // A deletion of the server looks for logical databases before its write, and this code for the server after its
    // own.
    refuseServer(await needs.databases.readLive(server), fields)
    await refuseSecond(needs, created)
  })
}

/** The server must be one of the same environment, or a shared one (docs/reference/logical-databases.md#fields). */
function refuseServer(
  server: Database | undefined,
  { project, environment, connectionLimit, backups, backupRetentionDays }: NewLogicalDatabase,
): void {
  if (server === undefined) throw notFound('database')
  const { engine, project: owner, environment: place } = server.spec
  if (server.metadata.deletionTimestamp !== undefined) throw refuse('the server is being deleted')
  if (!isSqlEngine(engine)) throw refuse('the server must be a postgres or mysql database')
  const shared = owner === ''
  if (!shared && (owner !== project || place !== environment))
    throw refuse('the server belongs to another project or environment')
  if (!shared && connectionLimit !== undefined)
    throw refuse('connectionLimit applies to databases on the shared server only')
  if (!shared && (backups !== undefined || backupRetentionDays !== undefined)) throw refuse(logicalBackupsElsewhere)
}

/**
 * Two records of one database name would share one database. The comparison ignores case, as no supported server keeps
 * names apart by case alone.
 */
async function refuseSecond(
  { client, logicalDatabases }: LogicalDatabaseNeeds,
  { metadata, spec }: LogicalDatabase,
): Promise<void> {
  const there = await recordsOf<LogicalDatabase>(client, logicalDatabases, resourceTypes.logicalDatabase, spec)
  const key = ({ serverRef, databaseName }: LogicalDatabase['spec']) => `${serverRef}/${databaseName.toLowerCase()}`
  const other = there.find((each) => each.metadata.uid !== metadata.uid && key(each.spec) === key(spec))
  if (other !== undefined)
    throw new Problem(
      'invalid_request',
      `the server has a database named ${spec.databaseName} already: ${other.metadata.name}`,
    )
}
