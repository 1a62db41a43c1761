/** Saves a new database: a draft, or a record that is created as deployed. */
import { highAvailabilityCopies } from '../../contract/limits.ts'
import type { Params } from '../../contract/operations.ts'
import { refuse } from '../../contract/problem.ts'
import { annotations, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { placeLabels } from '../../kinds/meta/namespaces.ts'
import type { DeployRequest } from '../../kinds/provision/deploy-request.ts'
import { type Database, type DatabaseSpec, databaseSpec } from '../../kinds/databases/kind.ts'
import { isSharedServer } from '../../kinds/databases/draft.ts'
import { withDatabaseSettings, withRequiredTags } from '../../kinds/databases/settings.ts'
import { withRequest } from '../../kinds/provision/draft.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { sharedServerNames } from '../../kinds/logical-databases/shared-servers.ts'
import { isSqlEngine } from '../../kinds/sql-engines.ts'
import { refuseConnection } from '../secrets/connection-ref.ts'
import { createPlaced, makeNamed } from '../place/place.ts'
import { refuseUndeployable } from './deploy-database.ts'
import { requiredTagsOf } from './required-tags.ts'
import type { DatabaseNeeds } from './needs.ts'
import { defined, filledIn } from '../../contract/defined.ts'

/** The fields of `POST /databases` that are about the database itself. */
export type NewDatabase = Omit<Params<'databases.create'>, 'draft' | 'deploy' | 'name'>

/** A new postgres gets a fixed version: a later default must not change existing databases. */
const firstVersions: Partial<Record<DatabaseSpec['engine'], string>> = { postgres: '16' }

/**
 * The spec of a new database, every default filled in. Throws Problem invalid_request for fields that do not fit
 * together.
 */
export function newDatabaseSpec(fields: NewDatabase): DatabaseSpec {
  const { engine, placement } = fields
  const {
    project = '',
    environment = '',
    highAvailability,
    provider = '',
    connectionRef,
    databaseName,
    region,
    ...settings
  } = filledIn(fields)
  const bare = databaseSpec.parse({
    project,
    environment,
    engine,
    placement,
    provider,
    version: placement === 'InCluster' ? (firstVersions[engine] ?? '') : '',
    ...(connectionRef === undefined ? {} : { connectionRef: { name: connectionRef } }),
    ...defined({ databaseName, serverRegion: region }),
  })
  refuseMisfit(bare, highAvailability === true, settings.clusterSize)
  const copies = highAvailability === true ? { clusterSize: highAvailabilityCopies } : {}
  return withDatabaseSettings(bare, { ...copies, ...settings }, { running: undefined, expandable: true })
}

/** Throws Problem, e.g. for a connection of another project, a second shared server, or a name that is taken. */
export async function createDatabase(
  needs: DatabaseNeeds,
  wanted: string | undefined,
  asked: DatabaseSpec,
  deploy?: DeployRequest,
): Promise<Database> {
  const spec = withRequiredTags(asked, await requiredTagsOf(needs, asked.project))
  if (spec.connectionRef !== undefined && spec.provider !== '')
    await refuseConnection(needs, spec.connectionRef.name, { project: spec.project, provider: spec.provider })
  if (isSharedServer(spec)) return create(needs, await sharedServer(needs, spec, wanted), deploy)
  return makeNamed(
    needs,
    'database',
    spec,
    wanted,
    (name) => create(needs, draftOf(name, spec), deploy),
    Object.values(sharedServerNames),
  )
}

/** Creates the record under a name that was found free. Throws NameUsed where another process has taken it since. */
export const createUnder = (
  needs: DatabaseNeeds,
  name: string,
  spec: DatabaseSpec,
  deploy: DeployRequest,
): Promise<Database> => create(needs, draftOf(name, spec), deploy)

async function create(needs: DatabaseNeeds, draft: Database, deploy: DeployRequest | undefined): Promise<Database> {
  if (deploy !== undefined) await refuseUndeployable(needs, draft, deploy.id)
  return createPlaced(
    needs,
    'database',
    needs.databases,
    deploy === undefined ? draft : withRequest<DatabaseSpec, Database>(draft, deploy),
  )
}

/**
 * A shared server has a fixed name; the requested name becomes its display name. An existing server counts, whatever
 * tool made it.
 */
async function sharedServer(
  { databases }: DatabaseNeeds,
  spec: DatabaseSpec,
  wanted: string | undefined,
): Promise<Database> {
  const { engine } = spec
  if (!isSqlEngine(engine)) throw refuse('the shared server of the cluster must be postgres or mysql')
  const name = sharedServerNames[engine]
  const known = databases.cache.list().find((each) => isSharedServer(each.spec) && each.spec.engine === engine)
  // Read live: the cached one may have been deleted a moment ago.
  const there = await databases.readLive(known?.metadata.name ?? name)
  if (there !== undefined) throw refuse(`the cluster has a shared ${engine} server already: ${there.metadata.name}`)
  const draft = draftOf(name, spec)
  if (wanted === undefined || wanted === '') return draft
  return {
    ...draft,
    metadata: { ...draft.metadata, annotations: { ...draft.metadata.annotations, [annotations.displayName]: wanted } },
  }
}

function draftOf(name: string, spec: DatabaseSpec): Database {
  const owner = isSharedServer(spec) ? {} : placeLabels(spec)
  return {
    apiVersion,
    kind: resourceTypes.database.kind,
    metadata: {
      name,
      namespace: systemNamespace,
      labels: { [labels.managedBy]: managedBySvc, ...owner },
      annotations: { [annotations.pendingChanges]: 'created' },
    },
    spec,
  }
}

/** Throws Problem invalid_request for fields that contradict the placement. */
function refuseMisfit(spec: DatabaseSpec, highAvailability: boolean, clusterSize: number | undefined): void {
  const { engine, placement, provider, connectionRef, serverRegion } = spec
  const shared = isSharedServer(spec)
  if (highAvailability && engine !== 'postgres') throw refuse('high availability needs the engine postgres')
  if (highAvailability && clusterSize === 1)
    throw refuse(`high availability needs at least ${highAvailabilityCopies} copies`)
  if (!shared && serverRegion !== undefined) throw refuse('region applies to the shared server of the cluster only')
  if (placement === 'InCluster') {
    if (provider !== '' || connectionRef !== undefined)
      throw refuse('provider and connectionRef apply to external databases only')
    return
  }
  if (shared) throw refuse('the shared server of the cluster cannot be external')
  if (highAvailability) throw refuse('highAvailability applies to databases on this cluster only')
  if (!isSqlEngine(engine)) throw refuse('an external database must be postgres or mysql')
  if (provider === '' || connectionRef === undefined)
    throw refuse('an external database needs a provider and a connectionRef')
}
