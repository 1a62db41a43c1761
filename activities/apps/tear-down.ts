/** Takes down everything made for a service, in order, its finalizer last; every step may be repeated. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { finalizers, labels } from '../../kinds/meta/annotations.ts'
import { restingPlan } from '../../kinds/apps/deploy/plan.ts'
import { viewOf, planNow } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { removeSeen } from '../../records/secrets/named-secret.ts'
import { onFreshRecord } from '../../records/store/retry.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { notifyEnded, notifyLast, notifyWebhooks } from '../webhooks/notify.ts'
import { writeAppStatus } from '../kube/write-status.ts'
import { endSchedules } from './schedules.ts'
import { isThere, removeObjectsIn, removeVolumesIn } from './remove-objects.ts'
import { appendAttemptLog } from '../../records/store/attempt-history.ts'
import type { TearDownInput, TornDown } from './messages.ts'

export const tearDown =
  (needs: ActivityNeeds) =>
  (input: TearDownInput): Promise<TornDown> =>
    onFreshRecord(
      needs.apps,
      input.name,
      input.uid,
      (app) => tearDownFresh(needs, input, app),
      (other) => ({ outcome: 'done', message: '', plan: planNow(input.name, other) }),
    )

async function tearDownFresh(needs: ActivityNeeds, input: TearDownInput, read: App): Promise<TornDown> {
  const plan = viewOf(read).plan
  if (plan.story !== input.story) return { outcome: 'done', message: '', plan }
  const begun = input.story === 'withdraw' ? await markUndeploying(needs, read) : read
  await endSchedules(needs, begun, input.story)
  const app = await cancelAttempt(needs, begun, input.story)
  const left = await removeObjects(needs, app, input.story)
  if (left !== '') {
    const written = await writeAppStatus(
      needs,
      app,
      { ready: false, reason: input.story === 'remove' ? 'Deleting' : 'Withdrawing', message: left },
      { acceptedIntent: viewOf(app).intent, observedIntent: null },
    )
    return { outcome: 'waiting', message: left, plan: viewOf(written).plan }
  }
  if (input.story === 'withdraw') {
    const { intent: observedIntent } = viewOf(app)
    const rested = await writeAppStatus(
      needs,
      app,
      { ready: false, reason: 'Draft', message: 'Resource is configured and waiting for deployment' },
      {
        observedIntent,
        acceptedIntent: observedIntent,
        replicas: { desired: 0, ready: 0, available: 0 },
        ...(app.status?.sleeping === true ? { sleeping: false } : {}),
      },
    )
    return { outcome: 'done', message: '', plan: viewOf(rested).plan }
  }
  await removeRecords(needs, app)
  await release(needs, app)
  return { outcome: 'done', message: '', plan: restingPlan(input.name) }
}

/**
 * Clears `observedIntent` before anything is deleted: a service that is deployed again meanwhile has its former intent,
 * which would pass for reconciled.
 */
async function markUndeploying(needs: ActivityNeeds, app: App): Promise<App> {
  if (app.status?.observedIntent === undefined) return app
  return writeAppStatus(
    needs,
    app,
    { ready: false, reason: 'Withdrawing', message: 'the deploy was taken back' },
    { acceptedIntent: viewOf(app).intent, observedIntent: null },
  )
}

/**
 * Ends a running attempt with a message and notifies webhooks, also if no worker had started it. Resolves with the
 * written record.
 */
async function cancelAttempt(needs: ActivityNeeds, app: App, action: 'remove' | 'withdraw'): Promise<App> {
  const { attempt } = viewOf(app)
  const last = app.status?.lastAttempt
  await notifyLast(needs, app)
  if (attempt === undefined || (last?.id === attempt.record && last.phase !== 'Running')) return app
  const summary =
    action === 'remove' ? 'cancelled: the service is being deleted' : 'cancelled: the deploy was taken back'
  await appendAttemptLog(needs, viewOf(app), attempt.record, [
    { at: attempt.at, text: `Failed: ${summary}`, endSince: last?.id === attempt.record ? (last.startedAt ?? '') : '' },
  ])
  if (last?.id === attempt.record) {
    const completedAt = needs.now().toISOString()
    const written = await writeAppStatus(
      needs,
      app,
      { ready: false, reason: action === 'remove' ? 'Deleting' : 'Withdrawing', message: summary },
      { lastAttempt: { ...last, phase: 'Failed', completedAt, summary, errors: [summary] } },
    )
    await notifyEnded(needs, written, false)
    return written
  }
  const at = needs.now().toISOString()
  const unreported = new Set([
    ...(attempt.supersedes === undefined ? [] : [attempt.supersedes]),
    ...(attempt.alsoSupersedes ?? []),
  ])
  for (const record of unreported)
    await notifyWebhooks(needs, app, {
      event: 'deployment.failed',
      record,
      at,
      error: `superseded by ${attempt.record}`,
    })
  await notifyWebhooks(needs, app, { event: 'deployment.failed', record: attempt.record, at, error: summary })
  return app
}

/**
 * Deletes all objects with the owner's uid, in every namespace that the status names; '' when none is left, else a
 * message of the wait. Volumes go only with the record, after the pods.
 */
async function removeObjects(needs: ActivityNeeds, app: App, action: TearDownInput['story']): Promise<string> {
  const owner = app.metadata.uid ?? ''
  const namespaces = new Set([
    namespaceOf(app.spec.project, app.spec.environment),
    ...(app.status?.targetNamespace === undefined ? [] : [app.status.targetNamespace]),
    ...(app.status?.leaving ?? []),
  ])
  const awaited: string[] = []
  for (const namespace of namespaces) {
    if (!(await isThere(needs, namespace))) continue
    await removeObjectsIn(needs, namespace, owner)
    const pods = await needs.client.list<KubeObject>(coreTypes.pod, {
      namespace,
      labelSelector: `${labels.owner}=${owner}`,
      metadataOnly: true,
    })
    if (pods.items.length > 0)
      awaited.push(`waiting for ${pods.items.length} ${pods.items.length === 1 ? 'copy' : 'copies'} to stop`)
    else if (action === 'remove' && (await removeVolumesIn(needs, namespace, app)))
      awaited.push('waiting for the volume to go')
  }
  return awaited.join('; ')
}

/**
 * Deletes history, builds, frozen secrets and edited secrets of the service
 * (docs/reference/deployments.md#deployment-record), found by the owner's uid, never by a name in the record.
 */
async function removeRecords(needs: ActivityNeeds, app: App): Promise<void> {
  const owner = app.metadata.uid ?? ''
  const selector = `${labels.owner}=${owner}`
  for (const type of [resourceTypes.deployment, resourceTypes.build, coreTypes.secret, coreTypes.configMap]) {
    const { items } = await needs.client.list<KubeObject>(type, {
      namespace: systemNamespace,
      labelSelector: selector,
      metadataOnly: true,
    })
    await Promise.all(items.map((item) => removeSeen(needs.client, type, item)))
  }
}

async function release(needs: ActivityNeeds, app: App): Promise<void> {
  const freed = await needs.apps.edit(app.metadata.name, (current) => {
    if (current.metadata.uid !== app.metadata.uid) return undefined
    return {
      ...current,
      metadata: {
        ...current.metadata,
        finalizers: (current.metadata.finalizers ?? []).filter((entry) => entry !== finalizers.app),
      },
    }
  })
  if (freed !== undefined) await needs.apps.readLive(app.metadata.name)
}
