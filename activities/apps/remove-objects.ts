/**
 * Removes what a service no longer uses: its objects in one namespace, the parts of earlier releases, and the records
 * of old deploys; most are found by the owner's uid.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { isNotFound } from '../../cluster/objects/errors.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { defined } from '../../contract/defined.ts'
import { deploymentRecordsKept } from '../../contract/limits.ts'
import { withoutDeploy } from '../../kinds/builds/old-image.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { releaseSpecOf } from '../../kinds/apps/spec/draft.ts'
import { releaseOfPart } from '../../kinds/apps/functions/function.ts'
import type { Attempt } from '../../kinds/apps/deploy/attempt.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { attemptLogName, attemptLogPurpose } from '../../records/store/attempt-history.ts'
import type { ServiceView } from '../../kinds/apps/view.ts'
import { type Deployment, frozenWith } from '../../kinds/deployments/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { isMadeFor } from '../../kinds/secrets/named-secret.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { discardRelease } from '../../records/apps/freeze-secrets.ts'
import { removeNamed, removeSeen } from '../../records/secrets/named-secret.ts'
import { childKinds, childOf, removeChild } from '../kube/apply-child.ts'
import { holdsData } from '../kube/apply-storage.ts'
import { recordEvent } from '../kube/event.ts'
import { isThereNow } from '../kube/if-gone.ts'
import type { ActivityNeeds } from '../context/needs.ts'

/** Whether the namespace exists. One that is not cached is read live, since the cache may be behind. */
export async function isThere(
  { client, children }: Pick<ActivityNeeds, 'client' | 'children'>,
  namespace: string,
): Promise<boolean> {
  return (
    children.namespaces.get(namespace) !== undefined ||
    (await client.get({ type: coreTypes.namespace, name: namespace })) !== undefined
  )
}

/** Deletes all objects of the owner but its volume, without waiting for copies to stop. */
export async function removeObjectsIn(needs: ActivityNeeds, namespace: string, owner: string): Promise<void> {
  if (!(await isThere(needs, namespace))) return
  for (const kind of childKinds) {
    const { type } = childOf(kind)
    await removeAll(needs, type, namespace, await ownedOf(needs, type, namespace, owner))
  }
}

/**
 * Deletes what a pass has just applied, if the record is gone by now: the pass was cut off, and another worker removed
 * the service meanwhile. New objects are created without a condition, and no later pass would find these. A volume that
 * was in use stays, as data is deleted only with a record.
 */
export async function removeIfGone(needs: ActivityNeeds, app: App, namespace: string): Promise<void> {
  if (await isThereNow({ record: app, store: needs.apps })) return
  const { uid = '' } = app.metadata
  await removeObjectsIn(needs, namespace, uid)
  const type = coreTypes.persistentVolumeClaim
  const claims = await ownedOf(needs, type, namespace, uid)
  await removeAll(
    needs,
    type,
    namespace,
    claims.filter((claim) => !holdsData(type, claim)),
  )
}

/**
 * Deletes the volume claims of a service, after an Event; only the deletion of its record does so. True while a claim
 * is left: the cluster removes it after its last pod, and a new service of the same name needs the claim's name.
 */
export async function removeVolumesIn(needs: ActivityNeeds, namespace: string, app: App): Promise<boolean> {
  const type = coreTypes.persistentVolumeClaim
  const owner = app.metadata.uid ?? ''
  const claims = await ownedOf(needs, type, namespace, owner)
  if (claims.length === 0) return false
  const message = `removes ${claims.map(({ metadata }) => `${type.kind} ${metadata.name}`).join(', ')}, and the data with it`
  await recordEvent(
    needs.client,
    app,
    { type: 'Normal', reason: 'Removing', message, occurrence: 'removal' },
    needs.now(),
  )
  await removeAll(needs, type, namespace, claims)
  return (await ownedOf(needs, type, namespace, owner)).length > 0
}

/** Deletes with the uid as precondition: an object made under the name meanwhile belongs to another owner. */
async function removeAll(
  { client }: ActivityNeeds,
  type: ResourceType,
  namespace: string,
  items: readonly KubeObject[],
): Promise<void> {
  await Promise.all(
    items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata: { name, uid } }) =>
        client.delete({ type, namespace, name }, { ...defined({ uid }), propagation: 'Background' }),
      ),
  )
}

/** The objects of the owner; none if the cluster does not serve the kind, whose add-on is not installed then. */
async function ownedOf(
  { client }: ActivityNeeds,
  type: ResourceType,
  namespace: string,
  owner: string,
): Promise<KubeObject[]> {
  try {
    const labelSelector = `${labels.owner}=${owner}`
    return (await client.list<KubeObject>(type, { namespace, labelSelector, metadataOnly: true })).items
  } catch (error) {
    if (isNotFound(error)) return []
    throw error
  }
}

/**
 * Removes configuration and secrets of every earlier release, also of superseded and failed ones, once no copy uses
 * them. Those of attempts accepted later than `attempt` stay, in case this call is late.
 */
export async function removeOldReleases(
  needs: ActivityNeeds,
  app: App,
  namespace: string,
  attempt: Attempt,
): Promise<void> {
  const had = earlierParts(needs, app, attempt)
  const owner = app.metadata.uid ?? ''
  const accepted = ({ name, creationTimestamp = '' }: KubeObject['metadata']) =>
    Date.parse(
      needs.deployments.cache.get(releaseOfPart(name), systemNamespace)?.status?.startedAt ?? creationTimestamp,
    )
  for (const [kind, kept] of [
    ['ConfigMap', attempt.record],
    ['Secret', attempt.release],
  ] as const) {
    if (!had[kind]) continue
    const { items } = await needs.client.list<KubeObject>(childOf(kind).type, {
      namespace,
      labelSelector: `${labels.owner}=${owner}`,
      metadataOnly: true,
    })
    const old = items.filter(
      ({ metadata }) => releaseOfPart(metadata.name) !== kept && accepted(metadata) <= Date.parse(attempt.at),
    )
    for (const { metadata } of old) await removeChild(needs.client, kind, namespace, metadata.name, owner)
  }
}

/**
 * Whether an earlier release had a ConfigMap or a Secret; spares two list requests if no kept record had any.
 */
function earlierParts(needs: ActivityNeeds, app: App, attempt: Attempt): Record<'ConfigMap' | 'Secret', boolean> {
  const earlier = needs.deployments.cache
    .by('app', app.metadata.name)
    .filter(({ metadata }) => metadata.labels?.[labels.app] === app.metadata.name && metadata.name !== attempt.record)
  const isUnknown = earlier.length === 0 && app.status?.release !== undefined
  return {
    ConfigMap: isUnknown || earlier.some((record) => hadConfigMap(releaseSpecOf(record).value)),
    Secret: isUnknown || earlier.some(({ metadata }) => metadata.annotations?.[annotations.release] !== undefined),
  }
}

/** A ConfigMap holds plain variables or the code of a function; a release of an unknown spec may have had one. */
const hadConfigMap = (spec: AppSpec | undefined): boolean =>
  spec === undefined || Object.keys(spec.configData).length > 0 || spec.source.function !== undefined

/**
 * Deletes builds whose deployment record is gone, unless the service runs their image; the run of each build removes
 * what was made for it.
 */
async function pruneBuilds(
  needs: ActivityNeeds,
  { metadata, status }: App,
  builds: readonly Build[],
  kept: ReadonlySet<string | undefined>,
): Promise<void> {
  const old = withoutDeploy(builds, kept, status?.image)
  await Promise.all(
    old
      .filter((build) => build.metadata.labels?.[labels.owner] === metadata.uid)
      .map((build) => removeSeen(needs.client, resourceTypes.build, build)),
  )
}

/**
 * Deletes the deployment records beyond the newest twelve, with the frozen secrets that neither a kept record nor the
 * current attempt uses: a record may use the secrets of an older one. The release that a failed deploy is rolled back
 * to stays, however many deploys have failed since.
 */
export async function pruneRecords(needs: ActivityNeeds, { app, attempt }: ServiceView): Promise<void> {
  // The count includes `<app>-active`; the cache has had the whole rollout to receive the newest record.
  if (needs.deployments.cache.by('app', app.metadata.name).length <= deploymentRecordsKept) return
  // Taken before the list: a build that is made later may be of a deploy that the list does not have.
  const builds = needs.builds.cache.by('app', app.metadata.name)
  const labelSelector = `${labels.app}=${app.metadata.name}`
  const { items } = await needs.client.list<Deployment>(resourceTypes.deployment, {
    namespace: systemNamespace,
    labelSelector,
  })
  if (items.length <= deploymentRecordsKept) return
  const newestFirst = items.sort((a, b) => ((a.status?.startedAt ?? '') < (b.status?.startedAt ?? '') ? 1 : -1))
  const current = [attempt?.record, app.status?.release]
  const kept = newestFirst.filter(
    (record, place) => place < deploymentRecordsKept || current.includes(record.metadata.name),
  )
  const used = new Set([attempt?.release, ...kept.flatMap(frozenWith)])
  for (const record of newestFirst.filter((candidate) => !kept.includes(candidate))) {
    const { name } = record.metadata
    // The writer of a record chooses these names, so they do not prove ownership; `discardRelease` checks the owner.
    for (const release of frozenWith(record)) if (!used.has(release)) await discardRelease(needs.client, app, release)
    await removeNamed(
      needs.client,
      coreTypes.configMap,
      attemptLogName(name),
      isMadeFor(app.metadata.uid, attemptLogPurpose),
    )
    if (
      await needs.client.delete(
        { type: resourceTypes.deployment, namespace: systemNamespace, name },
        { propagation: 'Background' },
      )
    )
      needs.deployments.cache.forget(record)
  }
  await pruneBuilds(needs, app, builds, new Set([attempt?.record, ...kept.map((record) => record.metadata.name)]))
}
