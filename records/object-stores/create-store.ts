/** Saves a new store: a bucket of a project, as a draft or created as deployed, or the object server of the cluster. */
import type { Params } from '../../contract/operations.ts'
import { refuse } from '../../contract/problem.ts'
import { annotations, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import type { DeployRequest } from '../../kinds/provision/deploy-request.ts'
import { withRequest } from '../../kinds/provision/draft.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { isExternal, isObjectServer, objectServerName } from '../../kinds/object-stores/draft.ts'
import { type ObjectStore, type ObjectStoreSpec, objectStoreSpec } from '../../kinds/object-stores/kind.ts'
import { withStoreSettings } from '../../kinds/object-stores/settings.ts'
import { bytes, cpuMillis } from '../../kinds/pods/quantity.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { createPlaced, makeNamed } from '../place/place.ts'
import { refuseStore, refuseUndeployable } from './deploy-store.ts'
import type { StoreNeeds } from './needs.ts'

/** The fields of `POST /object-stores` that are about the store itself. */
export type NewStore = Omit<Params<'object-stores.create'>, 'draft' | 'deploy' | 'name'>

/**
 * The spec of a new store, every default filled in. Throws Problem invalid_request for fields that do not fit together.
 */
export function newStoreSpec({
  project = '',
  environment = '',
  placement = 'InCluster',
  engine,
  ...settings
}: NewStore): ObjectStoreSpec {
  const bare = objectStoreSpec.parse({
    project,
    environment,
    placement,
    engine: engine ?? (placement === 'External' ? 'Remote' : 'Local'),
  })
  if (isObjectServer(bare) && isExternal(bare))
    throw refuse('the object server of the cluster has the engine Local and the placement InCluster')
  return withStoreSettings(bare, settings)
}

/**
 * The object server starts at once, with this request; a bucket is a draft unless `deploy` is set. Throws Problem, e.g.
 * for a second object server, or for a name that is taken.
 */
export async function createStore(
  needs: StoreNeeds,
  wanted: string | undefined,
  spec: ObjectStoreSpec,
  request: DeployRequest,
  deploy: boolean,
): Promise<ObjectStore> {
  if (isObjectServer(spec)) return createServer(needs, wanted, spec, request)
  return makeNamed(
    needs,
    'objectStore',
    spec,
    wanted,
    (name) => createBucket(needs, name, spec, deploy ? request : undefined),
    [objectServerName],
  )
}

async function createBucket(
  needs: StoreNeeds,
  name: string,
  spec: ObjectStoreSpec,
  deploy: DeployRequest | undefined,
): Promise<ObjectStore> {
  const { project, environment } = spec
  const draft = storeOf(name, spec, {
    labels: { [labels.project]: project, [labels.environment]: environment },
    annotations: { [annotations.deployWorkflow]: 'true', [annotations.pendingChanges]: 'created' },
  })
  if (deploy !== undefined) refuseUndeployable(draft)
  await refuseStore(needs, draft)
  // Checked again after the write: another process may have created a store with the same bucket at the same moment.
  return createPlaced(
    needs,
    'objectStore',
    needs.objectStores,
    deploy === undefined ? draft : withRequest<ObjectStoreSpec, ObjectStore>(draft, deploy),
    (created) => refuseStore(needs, created),
  )
}

/**
 * The object server has a fixed name; the requested name becomes its display name. An existing server counts, whatever
 * tool made it.
 */
async function createServer(
  needs: StoreNeeds,
  wanted: string | undefined,
  spec: ObjectStoreSpec,
  request: DeployRequest,
): Promise<ObjectStore> {
  const { cache, readLive } = needs.objectStores
  const known = cache.list().find((each) => isObjectServer(each.spec))
  // Read live: the cached one may have been deleted a moment ago.
  const there = await readLive(known?.metadata.name ?? objectServerName)
  if (there !== undefined) throw refuse(`the cluster has an object server already: ${there.metadata.name}`)
  await needs.reserveCapacity(request.id, serverCapacity(spec), request.id)
  const record = storeOf(objectServerName, spec, {
    labels: {},
    annotations: {
      [annotations.attempt]: JSON.stringify(request),
      ...(wanted === undefined || wanted === '' ? {} : { [annotations.displayName]: wanted }),
    },
  })
  return createPlaced(needs, 'objectStore', needs.objectStores, record)
}

function storeOf(
  name: string,
  spec: ObjectStoreSpec,
  notes: { labels: Record<string, string>; annotations: Record<string, string> },
): ObjectStore {
  return {
    apiVersion,
    kind: resourceTypes.objectStore.kind,
    metadata: {
      name,
      namespace: systemNamespace,
      labels: { [labels.managedBy]: managedBySvc, ...notes.labels },
      annotations: notes.annotations,
    },
    spec,
  }
}

function serverCapacity({ resources: { requests }, runOn, serverRegion }: ObjectStoreSpec) {
  return {
    project: '',
    tags: runOn.tags,
    region: serverRegion,
    copies: 1,
    perCopy: { cpuMillis: cpuMillis(requests.cpu), memoryBytes: bytes(requests.memory) },
  }
}
