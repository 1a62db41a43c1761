/**
 * The record `<app>-active`, which names what runs now, and the twelve newest deployment records
 * (docs/reference/deployments.md#deployment-record).
 */

import { deploymentRecordsKept } from '../../contract/limits.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { digestIn } from '../../kinds/apps/image-reference.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { imageOf } from '../../kinds/apps/manifests.ts'
import { activeRecordName, attemptLogName, attemptLogPurpose } from '../../kinds/apps/names.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { isMadeFor } from '../../kinds/secrets/named-secret.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { discardRelease } from '../../records/apps/freeze-secrets.ts'
import { removeNamed } from '../../records/secrets/named-secret.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { fieldManager } from '../kube/apply-child.ts'

export interface Running {
  phase: 'RollingOut' | 'Available'
  availableReplicas: number
  healthCheck: string
}

/** Writes `<app>-active`, without the app label, so that it is no rollback target. Skipped when nothing changed. */
export async function writeActiveRecord(
  needs: ActivityNeeds,
  app: App,
  spec: AppSpec,
  running: Running,
): Promise<void> {
  const name = activeRecordName(app.metadata.name)
  const known = needs.deployments.cache.get(name, systemNamespace)
  const { attempt } = viewOf(app)
  const startedAt = attempt?.at ?? app.metadata.creationTimestamp ?? needs.now().toISOString()
  const record = {
    apiVersion,
    kind: resourceTypes.deployment.kind,
    metadata: {
      name,
      namespace: systemNamespace,
      labels: {
        [labels.managedBy]: managedBySvc,
        [labels.project]: spec.project,
        [labels.environment]: spec.environment,
      },
      ownerReferences: [
        {
          apiVersion,
          kind: resourceTypes.app.kind,
          name: app.metadata.name,
          uid: app.metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: false,
        },
      ],
    },
    spec: {
      app: app.metadata.name,
      project: spec.project,
      environment: spec.environment,
      image: imageOf(spec),
      ...(digestIn(imageOf(spec)) === '' ? {} : { imageDigest: digestIn(imageOf(spec)) }),
      replicas: spec.replicas,
      changeTitle: attempt?.title ?? '',
      source: fieldManager,
      trigger: 'Reconciliation',
    },
    status: {
      phase: running.phase,
      startedAt,
      availableReplicas: running.availableReplicas,
      healthCheck: running.healthCheck,
      ...(running.phase === 'Available'
        ? {
            completedAt:
              known?.status?.phase === 'Available' &&
              known.status.startedAt === startedAt &&
              known.status.completedAt !== undefined
                ? known.status.completedAt
                : needs.now().toISOString(),
          }
        : {}),
    },
  }
  if (known !== undefined && canonical([known.spec, known.status]) === canonical([record.spec, record.status])) return
  const written = await needs.client.apply<Deployment>(resourceTypes.deployment, record, {
    manager: fieldManager,
    force: true,
  })
  needs.deployments.cache.put(written)
}

/**
 * Deletes the records beyond the newest twelve, with the frozen secrets that no kept record and no current attempt
 * uses.
 */
export async function pruneRecords(needs: ActivityNeeds, app: App): Promise<void> {
  // The cache may lag by a few, not by half of them.
  if (needs.deployments.cache.by('app', app.metadata.name).length < deploymentRecordsKept / 2) return
  const labelSelector = `${labels.app}=${app.metadata.name}`
  const { items } = await needs.client.list<Deployment>(resourceTypes.deployment, {
    namespace: systemNamespace,
    labelSelector,
  })
  if (items.length <= deploymentRecordsKept) return
  const newestFirst = items.sort((a, b) => ((a.status?.startedAt ?? '') < (b.status?.startedAt ?? '') ? 1 : -1))
  const { attempt } = viewOf(app)
  const kept = newestFirst.filter(
    (record, place) => place < deploymentRecordsKept || record.metadata.name === attempt?.record,
  )
  const used = new Set([attempt?.release, ...kept.map((record) => record.metadata.name)])
  for (const record of newestFirst.filter((candidate) => !kept.includes(candidate))) {
    const { name } = record.metadata
    // A record's name is its maker's choice, so it does not prove whose the Secret of that name is.
    if (!used.has(name)) await discardRelease(needs.client, app, name)
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
}
