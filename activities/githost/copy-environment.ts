/**
 * Copies an environment for a pull request, and deploys a commit to it. Missing records are created and existing ones
 * stay, so it may be repeated at any point (docs/reference/projects.md#what-is-copied).
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { Problem } from '../../contract/problem.ts'
import { appState } from '../../kinds/apps/state.ts'
import { shownAddress } from '../../kinds/apps/hosts.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { copyOfDatabase } from '../../kinds/databases/pull-request-copy.ts'
import { isSharedServer } from '../../kinds/databases/draft.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { copyName } from '../../kinds/meta/copied-names.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { copyOfStore } from '../../kinds/object-stores/pull-request-copy.ts'
import type { OpenPullRequest } from '../../kinds/projects/pull-requests.ts'
import { createDatabase } from '../../records/databases/create-database.ts'
import { createLogicalDatabase } from '../../records/logical-databases/create-logical-database.ts'
import { createStore } from '../../records/object-stores/create-store.ts'
import { mintDeployRequest } from '../../records/store/edit-record.ts'
import type { RecordStore } from '../../records/store/record-store.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { type Copying, copyingOf, isCopied } from './copying.ts'
import { copyService } from './copy-service.ts'

export interface CopiedService {
  /** Name of the original service. */
  name: string
  state: string
  url: string
}

export interface Copied {
  services: CopiedService[]
  /** Records that were not copied, each with the reason; names and plain sentences, no values. */
  left: string[]
  /** Whether every deploy in it has ended. */
  isDeployed: boolean
}

export async function copyEnvironment(needs: ActivityNeeds, project: string, entry: OpenPullRequest): Promise<Copied> {
  const copying = copyingOf(needs, project, entry)
  const apps = here(copying, needs.apps)
  await copyData(needs, copying, () => {
    for (const { metadata } of apps) name(copying, metadata.name)
  })
  const copied: Copied = { services: [], left: copying.left, isDeployed: true }
  for (const app of apps) {
    const copy = await refusedIsLeft(copying, app.metadata.name, () => copyService(copying, app))
    if (copy === undefined) continue
    copied.isDeployed &&= !viewOf(copy).attemptGoesOn
    copied.services.push({ name: app.metadata.name, state: appState(copy).state, url: shownAddress(copy) })
  }
  return copied
}

/** The records of the original environment, the oldest first. */
function here<T extends KubeObject>({ place }: Copying, { cache }: RecordStore<T>): readonly T[] {
  const order = ({ metadata }: T) => `${metadata.creationTimestamp ?? ''} ${metadata.name}`
  return cache
    .by('environment', namespaceOf(place.project, place.base))
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
}

const name = ({ place }: Copying, original: string): string => {
  const copy = copyName(original, place.environment)
  place.names.set(original, copy)
  return copy
}

/** Copies databases and buckets without their data. `naming` is called when all have names, before any is created. */
async function copyData(needs: ActivityNeeds, copying: Copying, naming: () => void): Promise<void> {
  const { place, asked } = copying
  const { project, environment } = place
  const makes: (readonly [string, () => Promise<unknown>])[] = []
  for (const database of here(copying, needs.databases)) {
    const spec = copyOfDatabase(database, environment)
    if (spec === undefined) leaves(copying, database, 'a database that is not deployed, or not on this cluster')
    else {
      const copy = name(copying, database.metadata.name)
      makes.push([copy, async () => createDatabase(copying, copy, spec, mintDeployRequest(asked, copying.now()))])
    }
  }
  for (const logical of here(copying, needs.logicalDatabases)) {
    const server = serverOf(needs, copying, logical)
    if (server === undefined) leaves(copying, logical, 'the server that it is on is not copied')
    else {
      const copy = name(copying, logical.metadata.name)
      const { databaseName: database, connectionLimit } = logical.spec
      const fields = { name: copy, project, environment, server, database, connectionLimit }
      makes.push([copy, () => createLogicalDatabase(copying, fields, asked)])
    }
  }
  for (const store of here(copying, needs.objectStores)) {
    const spec = copyOfStore(store, environment)
    if (spec === undefined) leaves(copying, store, 'a bucket that is not deployed, or in a cloud')
    else {
      const copy = name(copying, store.metadata.name)
      makes.push([copy, async () => createStore(copying, copy, spec, mintDeployRequest(asked, copying.now()), true)])
    }
  }
  naming()
  for (const [copy, make] of makes) {
    const original = [...place.names].find(([, each]) => each === copy)?.[0] ?? copy
    await refusedIsLeft(copying, original, async () => {
      for (const store of [needs.databases, needs.logicalDatabases, needs.objectStores])
        if (isCopied(copying, await store.read(copy))) return
      await make()
    })
  }
}

/** The server for a copied logical database: the copy of its server, or the shared server. */
function serverOf({ databases }: ActivityNeeds, { place }: Copying, { spec }: LogicalDatabase): string | undefined {
  const copy = place.names.get(spec.serverRef)
  if (copy !== undefined) return copy
  const server = databases.cache.get(spec.serverRef, systemNamespace)
  return server !== undefined && isSharedServer(server.spec) ? spec.serverRef : undefined
}

const leaves = ({ left }: Copying, { metadata }: KubeObject, why: string): void =>
  void left.push(`${metadata.name}: ${why}`)

/** A refusal by a rule is listed in the comment on the pull request; the rest of the environment is still copied. */
async function refusedIsLeft<Made>(copying: Copying, original: string, make: () => Promise<Made>) {
  try {
    return await make()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    copying.left.push(`${original}: ${error.message}`)
    return undefined
  }
}
