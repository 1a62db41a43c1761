/**
 * Writes the deployment record of an accepted attempt: before the api answers, and from the annotation if that process
 * died.
 */
import { defined } from '../../contract/defined.ts'
import { isAlreadyExists } from '../../cluster/objects/errors.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import type { Attempt } from '../../kinds/apps/deploy/attempt.ts'
import { acceptedAs } from './attempt-history.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { ownedLabels } from '../../kinds/apps/names.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { RecordStore } from './record-store.ts'

/** Idempotent: a record of that name that exists is left as it is (docs/reference/deployments.md#deployment-record). */
export async function recordDeploy(
  deployments: RecordStore<Deployment>,
  app: App,
  attempt: Attempt,
  deployed: AppSpec,
): Promise<void> {
  const known = deployments.cache.get(attempt.record, systemNamespace)
  if (known !== undefined) return
  const git = deployed.source.git
  const record: Deployment = {
    apiVersion,
    kind: resourceTypes.deployment.kind,
    metadata: {
      name: attempt.record,
      namespace: systemNamespace,
      labels: {
        ...ownedLabels({
          name: app.metadata.name,
          uid: app.metadata.uid ?? '',
          project: app.spec.project,
          environment: app.spec.environment,
        }),
        [labels.purpose]: 'deployment',
      },
      annotations: {
        [annotations.releaseSpec]: JSON.stringify(deployed),
        [annotations.acceptedAs]: acceptedAs(attempt),
        ...defined({ [annotations.release]: attempt.release }),
        ...(attempt.confined === true ? { [annotations.confined]: 'true' } : {}),
      },
    },
    spec: {
      app: app.metadata.name,
      project: app.spec.project,
      environment: app.spec.environment,
      image: recordedImage(deployed),
      replicas: deployed.replicas,
      changeTitle: attempt.title,
      source: git === undefined ? 'Dashboard' : 'GitHub',
      actor: 'Dashboard',
    },
    status: { phase: 'Recorded', startedAt: attempt.at, completedAt: attempt.at },
  }
  try {
    await deployments.create(record)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

/**
 * Image reference; `<repository>@<branch>` before a build exists; `function:<runtime>`
 * (docs/reference/deployments.md#deployment-record).
 */
function recordedImage(spec: AppSpec): string {
  if (spec.source.image !== undefined) return spec.source.image.image
  if (spec.source.git !== undefined) return `${spec.source.git.repository}@${spec.source.git.branch}`
  return `function:${spec.source.function?.runtime ?? 'node'}`
}
