/**
 * What is kept of an attempt: its log, an Event of a failure, and the record `<app>-active`, which names what runs now
 * (docs/reference/deployments.md#deployment-record). Of a failure the end is written before the status, so that a crash
 * between the two repeats it; of a success after the status, which callers wait for
 * (docs/reference/deployments.md#history-of-an-attempt).
 */

import { annotations, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import type { Attempt } from '../../kinds/apps/attempt.ts'
import { type Accepted, type AttemptEnd, endSteps, isInHistory } from '../../kinds/apps/attempt-history.ts'
import { digestIn, type FrozenImage, runImageOf } from '../../kinds/apps/image.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { activeRecordName } from '../../kinds/apps/names.ts'
import type { ServiceView } from '../../kinds/apps/view.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { placeLabels } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { fieldManager } from '../kube/apply-child.ts'
import { recordEvent } from '../kube/event.ts'
import { appendAttemptLog, type PodTail } from '../kube/attempt-log.ts'

interface EndExtras {
  frozen: FrozenImage | undefined
  tails?: readonly PodTail[]
  /** Whether the log has no line yet, as far as is known. */
  isFirst?: boolean
}

/** Harmless to repeat: the start of the attempt identifies its end. */
export async function writeEnd(
  needs: Pick<ActivityNeeds, 'client' | 'now'>,
  app: App,
  attempt: Accepted,
  end: AttemptEnd,
  { frozen, tails = [], isFirst = false }: EndExtras,
): Promise<void> {
  const { record } = attempt
  const { phase, summary, startedAt } = end
  const steps = endSteps(attempt, end, frozen)
  const isFailure = phase === 'Failed'
  await Promise.all([
    appendAttemptLog(needs, app, record, steps, { tails, image: frozen?.image, isFirst }),
    // Events are for what asks for a person; a success stands in the status, and in the log for good.
    isFailure
      ? recordFailure(needs, app, { message: `${record}: ${summary}`, occurrence: `${record} ${startedAt}` })
      : undefined,
  ])
}

const recordFailure = (
  { client, now }: Pick<ActivityNeeds, 'client' | 'now'>,
  app: App,
  what: { message: string; occurrence: string },
): Promise<boolean> => recordEvent(client, app, { type: 'Warning', reason: 'DeployFailed', ...what }, now())

interface Running {
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
  const imageDigest = digestIn(image)
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
      ...(imageDigest === '' ? {} : { imageDigest }),
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

/** The record of what runs now, by the cache: one that is a moment old lets history be written twice. */
export const activeRecordOf = ({ deployments }: Pick<ActivityNeeds, 'deployments'>, app: App): Deployment | undefined =>
  deployments.cache.get(activeRecordName(app.metadata.name), systemNamespace)

/** The attempt before the current one that succeeded while its worker died before it wrote the history of that. */
export async function formerWithoutHistory(
  needs: Pick<ActivityNeeds, 'deployments'>,
  app: App,
  attempt: Attempt,
): Promise<{ former: Accepted; end: AttemptEnd; frozen: FrozenImage | undefined } | undefined> {
  const { lastAttempt: last, frozenImage } = app.status ?? {}
  if (last === undefined || last.id === attempt.record || last.phase !== 'Succeeded') return undefined
  const record = await needs.deployments.read(last.id)
  const at = record?.status?.startedAt
  if (record === undefined || at === undefined || isInHistory(activeRecordOf(needs, app), at)) return undefined
  const { startedAt = at, completedAt = startedAt, summary = '' } = last
  const as = record.metadata.annotations?.[annotations.acceptedAs] ?? 'deploy'
  return {
    former: { record: last.id, title: record.spec.changeTitle ?? '', at, as },
    end: { phase: last.phase, summary, startedAt, completedAt },
    frozen: frozenImage?.attempt === last.id ? frozenImage : undefined,
  }
}
