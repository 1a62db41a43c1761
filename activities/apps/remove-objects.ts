/**
 * What goes when it is no longer used: all that was made for a service in one namespace, releases before the one that
 * runs, and the records of old deploys; found by the owner's uid.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { isNotFound } from '../../cluster/objects/errors.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { defined } from '../../contract/defined.ts'
import { deploymentRecordsKept } from '../../contract/limits.ts'
import { withoutDeploy } from '../../kinds/builds/old-image.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { releaseSpecOf } from '../../kinds/apps/draft.ts'
import { releaseOfPart } from '../../kinds/apps/function.ts'
import type { Attempt } from '../../kinds/apps/attempt.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { attemptLogName, attemptLogPurpose } from '../../kinds/apps/names.ts'
import type { ServiceView } from '../../kinds/apps/view.ts'
import { type Deployment, frozenWith } from '../../kinds/deployments/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { isMadeFor } from '../../kinds/secrets/named-secret.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { discardRelease } from '../../records/apps/freeze-secrets.ts'
import { removeNamed, removeSeen } from '../../records/secrets/named-secret.ts'
import { childKinds, childOf, removeChild } from '../kube/apply-child.ts'
import { recordEvent } from '../kube/event.ts'
import type { ActivityNeeds } from '../context/needs.ts'

/** A namespace counts as absent only when the cluster says so: the cache may not have it yet. */
export async function isThere(
  { client, children }: Pick<ActivityNeeds, 'client' | 'children'>,
  namespace: string,
): Promise<boolean> {
  return (
    children.namespaces.get(namespace) !== undefined ||
    (await client.get({ type: coreTypes.namespace, name: namespace })) !== undefined
  )
}

/** All but its volume. Does not wait for copies to stop. A namespace that is gone took everything along. */
export async function removeObjectsIn(needs: ActivityNeeds, namespace: string, owner: string): Promise<void> {
  if (!(await isThere(needs, namespace))) return
  for (const kind of childKinds) {
    const { type } = childOf(kind)
    await removeAll(needs, type, namespace, await ownedOf(needs, type, namespace, owner))
  }
}

/**
 * The data of a service goes with its record alone; an Event says so before. Whether anything of it is still there: the
 * cluster removes a claim after its last pod, and a service that is made anew under the name needs that name for its
 * own.
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

/** By uid: what was made under the name meanwhile is another service's. */
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

/** None of a kind that the cluster does not serve: an add-on's, which is not installed. */
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
 * Configuration and secrets of every release before, superseded and failed ones included, once nothing runs with them
 * any more. Those of an attempt accepted later stay, should this run late.
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
 * Whether a release before this one had a configuration, and secrets: spares two lists where no kept record had any.
 */
function earlierParts(needs: ActivityNeeds, app: App, attempt: Attempt): Record<'ConfigMap' | 'Secret', boolean> {
  const earlier = needs.deployments.cache
    .by('app', app.metadata.name)
    .filter(({ metadata }) => metadata.labels?.[labels.app] === app.metadata.name && metadata.name !== attempt.record)
  const isUnknown = earlier.length === 0 && app.status?.release !== undefined
  return {
    ConfigMap: isUnknown || earlier.some((record) => hadConfigMap(releaseSpecOf(record))),
    Secret: isUnknown || earlier.some(({ metadata }) => metadata.annotations?.[annotations.release] !== undefined),
  }
}

/** Of its plain variables, or of the code of a function; so also where the spec is not known. */
const hadConfigMap = (spec: AppSpec | undefined): boolean =>
  spec === undefined || Object.keys(spec.configData).length > 0 || spec.source.function !== undefined

/**
 * A build goes with the record of the deploy that it was made for, unless its image runs; its own run removes what it
 * made.
 */
async function pruneBuilds(
  needs: ActivityNeeds,
  { metadata, status }: App,
  kept: ReadonlySet<string | undefined>,
): Promise<void> {
  const old = withoutDeploy(needs.builds.cache.by('app', metadata.name), kept, status?.image)
  await Promise.all(
    old
      .filter((build) => build.metadata.labels?.[labels.owner] === metadata.uid)
      .map((build) => removeSeen(needs.client, resourceTypes.build, build)),
  )
}

/**
 * Deletes the records beyond the newest twelve, with the frozen secrets that no kept record and no current attempt
 * uses. The release that a failed deploy is rolled back to stays, however many have failed since, and a record may use
 * the secrets that an older one was frozen with.
 */
export async function pruneRecords(needs: ActivityNeeds, { app, attempt }: ServiceView): Promise<void> {
  // With `<app>-active`; the cache has had the whole rollout to get the newest.
  if (needs.deployments.cache.by('app', app.metadata.name).length <= deploymentRecordsKept) return
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
    // The names are their writer's choice, so they do not prove whose the Secrets are.
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
  await pruneBuilds(needs, app, new Set([attempt?.record, ...kept.map((record) => record.metadata.name)]))
}
