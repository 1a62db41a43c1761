/**
 * The contents of an environment: services, databases, logical databases, buckets and tokens, and their removal.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ResourceCache } from '../../cluster/cache/cache.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { planOfProject } from '../../kinds/projects/intent.ts'
import type { DeletionRequest } from '../../kinds/provision/deletion-request.ts'
import { isRemovalAccepted } from '../../kinds/provision/state.ts'
import { kindsIn, type ProvisionedKind, provisionedKinds, resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { Provisioned } from '../../kinds/provision/plan.ts'
import { authLabel } from '../../records/secrets/auth-secret.ts'
import type { RecordStore } from '../../records/store/record-store.ts'
import { removeSeen } from '../../records/secrets/named-secret.ts'
import type { ActivityNeeds } from '../context/needs.ts'

const mostNamed = 3

interface Contents {
  what: string
  /** Every cached record of a project, by its name, or of an environment, by its namespace. */
  of: (index: 'project' | 'environment', key: string) => readonly Provisioned[]
  /**
   * Reads into the cache what it has not received yet: the watch may be behind, and only a live list proves that no
   * record is left.
   */
  learn: () => Promise<void>
  /**
   * Requests the deletion of all records in an environment; resolves with those that are left. `isLeaving` is called
   * after each list of them, before the first deletion.
   */
  clear: (place: string, isLeaving: () => Promise<boolean>, asked: DeletionRequest) => Promise<readonly Provisioned[]>
}

/** The part of a store that takes no record: a store of any of these kinds is one of what they have in common. */
interface ContentStore<T> extends Pick<RecordStore<KubeObject>, 'remove'> {
  readonly cache: Pick<ResourceCache<T & KubeObject>, 'get' | 'by'>
  readLive(name: string): Promise<unknown>
}

function contents<T extends KubeObject & Provisioned>(
  client: ClusterClient,
  type: ResourceType,
  store: ContentStore<T>,
  what: string,
): Contents {
  const { cache, remove, readLive } = store
  const learn = async (): Promise<void> => {
    const { items } = await client.list<KubeObject>(type, { namespace: systemNamespace, metadataOnly: true })
    const isCached = ({ metadata }: KubeObject) =>
      cache.get(metadata.name, systemNamespace)?.metadata.resourceVersion === metadata.resourceVersion
    await Promise.all(items.filter((item) => !isCached(item)).map(({ metadata }) => readLive(metadata.name)))
  }
  const isHere = async (place: string, { metadata: { name, uid } }: T): Promise<boolean> => {
    await readLive(name)
    return cache.by('environment', place).some(({ metadata }) => metadata.name === name && metadata.uid === uid)
  }
  const ask: Contents['clear'] = async (place, isLeaving, asked) => {
    const staying = cache.by('environment', place).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    if (staying.length === 0 || !(await isLeaving())) return cache.by('environment', place)
    for (const record of staying) {
      // The cache may be behind a move: a service that left the environment a moment ago is not removed with it.
      if (!(await isHere(place, record))) continue
      // A record without a finalizer is gone at once, from the cache, too; the watch reports the removal of others.
      await remove(record.metadata.name, record.metadata.uid ?? '', asked)
    }
    return cache.by('environment', place)
  }
  return {
    what,
    of: (index, key) => cache.by(index, key),
    learn,
    clear: async (place, isLeaving, asked) => {
      const left = await ask(place, isLeaving, asked)
      if (left.length > 0) return left
      await learn()
      return ask(place, isLeaving, asked)
    },
  }
}

/** In the order of removal: services before what they use, logical databases before the servers that they are on. */
const contentsOf = (needs: ActivityNeeds): readonly Contents[] => [
  contents(needs.client, resourceTypes.app, needs.apps, 'service'),
  ...kindsIn('environment').map((kind) => {
    const { records, one } = provisionedKinds[kind]
    return contents<KubeObject & Provisioned>(needs.client, resourceTypes[kind], needs[records], one)
  }),
]

/** Who asked for the deletion of the project, or of its environment, asked for that of what is in it. */
export const askedWith = ({ now }: Pick<ActivityNeeds, 'now'>, project: Project): DeletionRequest => ({
  actor: planOfProject(project).actor ?? '',
  at: now().toISOString(),
})

/** Requests the deletion of all contents of an environment; '' when none is left, else the message of the wait. */
export async function clearContents(needs: ActivityNeeds, project: Project, environment: string): Promise<string> {
  const isLeaving = () => isLeavingNow(needs, project, environment)
  const asked = askedWith(needs, project)
  await revokeTokens(needs, project, environment)
  const place = namespaceOf(project.metadata.name, environment)
  for (const { what, clear } of contentsOf(needs)) {
    const left = await clear(place, isLeaving, asked)
    if (left.length > 0)
      return `waiting for ${left.length} ${what}${left.length === 1 ? '' : 's'} of environment ${environment} to be removed: ${named(left)}`
  }
  return ''
}

/**
 * Whether the environment is still to be emptied, by the live project: if this pass was cut off for a while, another
 * one may have emptied it, and a user may have made it again. What was listed before this read belongs to the
 * environment that is leaving; what is listed later may not.
 */
export const isLeavingNow = async (
  needs: Pick<ActivityNeeds, 'projects'>,
  project: Project,
  environment: string,
): Promise<boolean> => (await environmentNow(needs, project, environment)) === 'leaving'

/** What the live project says of an environment; `gone` if the project is, or another one has its name. */
export async function environmentNow(
  { projects }: Pick<ActivityNeeds, 'projects'>,
  { metadata: { name, uid } }: Project,
  environment: string,
): Promise<'asked' | 'leaving' | 'gone'> {
  const now = await projects.readLive(name)
  if (now === undefined || now.metadata.uid !== uid) return 'gone'
  return now.metadata.deletionTimestamp === undefined && now.spec.environments.includes(environment)
    ? 'asked'
    : 'leaving'
}

/** The names of the first few, each with the message of its own removal. */
function named(left: readonly Provisioned[]): string {
  const names = left.slice(0, mostNamed).map((record) => {
    const { metadata, status } = record
    const ready = readyOf<'app' | ProvisionedKind>(status?.conditions)
    const removing = ready?.reason === 'Deleting' || isRemovalAccepted(record)
    return removing ? `${metadata.name} (${ready?.message ?? ''})` : metadata.name
  })
  return [...names, ...(left.length > mostNamed ? ['and others'] : [])].join(', ')
}

/** Environments that have records, whether the project's spec lists them or not. */
export async function filledEnvironments(needs: ActivityNeeds, project: Project): Promise<string[]> {
  const kinds = contentsOf(needs)
  await Promise.all(kinds.map(({ learn }) => learn()))
  const records = kinds.flatMap(({ of }) => of('project', project.metadata.name))
  return [...new Set(records.map(({ spec }) => spec.environment))].filter((environment) => environment !== '')
}

/** Deletes the tokens of an environment: they must not open a later environment of the same name. */
async function revokeTokens(needs: ActivityNeeds, project: Project, environment: string): Promise<void> {
  const labelSelector = `${authLabel}=token,${labels.project}=${project.metadata.name},${labels.environment}=${environment}`
  const { items } = await needs.client.list<KubeObject>(coreTypes.secret, {
    namespace: systemNamespace,
    labelSelector,
    metadataOnly: true,
  })
  if (items.length === 0 || !(await isLeavingNow(needs, project, environment))) return
  await Promise.all(items.map((secret) => removeSeen(needs.client, coreTypes.secret, secret)))
}
