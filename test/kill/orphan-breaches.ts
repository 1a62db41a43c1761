/** Finds objects on the cluster that have outlived their owner. */
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { frozenWith } from '../../kinds/deployments/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'

const made: readonly ResourceType[] = [
  coreTypes.namespace,
  coreTypes.deployment,
  coreTypes.pod,
  coreTypes.service,
  coreTypes.serviceAccount,
  coreTypes.configMap,
  coreTypes.secret,
  coreTypes.ingress,
  coreTypes.horizontalPodAutoscaler,
  coreTypes.podDisruptionBudget,
  coreTypes.networkPolicy,
  coreTypes.statefulSet,
  coreTypes.job,
  coreTypes.persistentVolumeClaim,
  resourceTypes.deployment,
]

/** The types of the owners. */
const owning: readonly ResourceType[] = [
  resourceTypes.app,
  resourceTypes.project,
  resourceTypes.database,
  resourceTypes.logicalDatabase,
  resourceTypes.objectStore,
  resourceTypes.cloudConnection,
  resourceTypes.backupArchive,
]

const aLongTimeAgo = 0

/**
 * Sentences about orphans in these projects; empty when there are none. Frozen secrets of unaccepted deploys may wait
 * for their sweep: only those made before `frozenBefore` (milliseconds since 1970) count.
 */
export async function orphanBreaches(
  client: ClusterClient,
  projects: readonly string[],
  frozenBefore = aLongTimeAgo,
): Promise<string[]> {
  const names = new Set(projects)
  const apps = await client.list<App>(resourceTypes.app, { namespace: systemNamespace })
  const owners = new Set(
    (
      await Promise.all(
        owning.map((type) => client.list<KubeObject>(type, { namespace: systemNamespace, metadataOnly: true })),
      )
    ).flatMap(({ items }) => items.map((record) => record.metadata.uid)),
  )
  const lists = await Promise.all(
    made.map((type) => client.list<KubeObject>(type, { labelSelector: labels.owner, metadataOnly: true })),
  )
  const orphans = lists
    .flatMap(({ items }) => items)
    .filter(
      ({ metadata }) =>
        metadata.deletionTimestamp === undefined &&
        names.has(metadata.labels?.[labels.project] ?? '') &&
        !owners.has(metadata.labels?.[labels.owner]),
    )
    .map(
      ({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name} is left of a record that is gone`,
    )
  // A rollback names the secrets of a release whose own record may be gone.
  const needed = new Set(lists.at(-1)?.items.flatMap(frozenWith))
  const inUse = new Set(apps.items.map((app) => viewOf(app).attempt?.release))
  const { items: frozen } = await client.list<KubeObject>(coreTypes.secret, {
    namespace: systemNamespace,
    labelSelector: `${labels.purpose}=release`,
    metadataOnly: true,
  })
  const forgotten = frozen
    .filter(
      ({ metadata: { name, creationTimestamp = '' } }) =>
        !needed.has(name) && !inUse.has(name) && Date.parse(creationTimestamp) < frozenBefore,
    )
    .map(({ metadata: { name } }) => `the frozen secrets ${name} belong to no deploy`)
  return [...orphans, ...forgotten]
}
