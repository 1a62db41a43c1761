/** The record `<app>-active`, which names what runs now (docs/reference/deployments.md#deployment-record). */

import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { placeLabels } from '../../kinds/meta/namespaces.ts'
import type { ServiceView } from '../../kinds/apps/view.ts'
import { digestIn } from '../../kinds/apps/image-reference.ts'
import type { AppSpec } from '../../kinds/apps/kind.ts'
import { runImageOf } from '../../kinds/apps/frozen-image.ts'
import { activeRecordName } from '../../kinds/apps/names.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
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
  view: ServiceView,
  spec: AppSpec,
  running: Running,
): Promise<void> {
  const { app, attempt } = view
  const image = runImageOf(view, spec)
  const name = activeRecordName(app.metadata.name)
  const known = needs.deployments.cache.get(name, systemNamespace)
  const startedAt = attempt?.at ?? app.metadata.creationTimestamp ?? needs.now().toISOString()
  const record = {
    apiVersion,
    kind: resourceTypes.deployment.kind,
    metadata: {
      name,
      namespace: systemNamespace,
      labels: { [labels.managedBy]: managedBySvc, ...placeLabels(spec) },
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
      image,
      ...(digestIn(image) === '' ? {} : { imageDigest: digestIn(image) }),
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
