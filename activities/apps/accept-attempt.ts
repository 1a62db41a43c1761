/** Writes the status that accepts an attempt, and before it the ends of the attempts that it supersedes. */
import { annotations } from '../../kinds/meta/annotations.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import type { Attempt } from '../../kinds/apps/deploy/attempt.ts'
import { acceptedOf, acceptedStep, rollingOut, appendAttemptLog } from '../../records/store/attempt-history.ts'
import { successOf, successSteps } from '../../records/store/success-steps.ts'
import type { FrozenImage } from '../../kinds/apps/deploy/image.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { volumeClaimName } from '../../kinds/apps/names.ts'
import { successesIn, viewOf } from '../../kinds/apps/view.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { notifyLast, notifyWebhooks } from '../webhooks/notify.ts'
import { writeAppStatus } from '../kube/write-status.ts'
import { defined } from '../../contract/defined.ts'

/** Records of the running attempts that `attempt` supersedes and whose end is not written yet. */
export function superseded(app: App, attempt: Attempt): ReadonlySet<string> {
  const last = app.status?.lastAttempt
  if (last?.id === attempt.record) return new Set()
  return new Set([
    ...(attempt.supersedes === undefined ? [] : [attempt.supersedes]),
    ...(attempt.alsoSupersedes ?? []),
    ...(last?.phase === 'Running' ? [last.id] : []),
  ])
}

/** Whether the attempt succeeded before and was retried with kubectl since: its log has to hold both of its ends. */
export const isRunAgain = (app: App, attempt: Attempt): boolean => successOf(app, attempt.record) !== undefined

/** Writes log entries and sends webhooks of earlier attempts, before the new status overwrites `lastAttempt`. */
export async function endFormer(needs: ActivityNeeds, app: App, attempt: Attempt): Promise<void> {
  await notifyLast(needs, app)
  const success = successOf(app, attempt.record)
  if (success !== undefined) {
    const steps = [acceptedStep(acceptedOf(attempt)), ...successSteps(success)]
    await appendAttemptLog(needs, viewOf(app), attempt.record, steps, { image: success.image })
  }
  const last = app.status?.lastAttempt
  for (const record of superseded(app, attempt)) {
    const error = `superseded by ${attempt.record}`
    const startedAt = last?.id === record ? last.startedAt : undefined
    await appendAttemptLog(needs, viewOf(app), record, [
      { at: attempt.at, text: `Failed: ${error}`, endSince: startedAt ?? '' },
    ])
    await notifyWebhooks(needs, app, { event: 'deployment.failed', record, at: attempt.at, startedAt, error })
  }
}

export interface Taking {
  attempt: Attempt
  spec: AppSpec
  action: 'deploy' | 'reconcile'
  frozenImage: FrozenImage | undefined
}

export async function markAccepted(needs: ActivityNeeds, app: App, taking: Taking): Promise<App> {
  const { attempt, spec, action, frozenImage } = taking
  const now = needs.now().toISOString()
  const last = app.status?.lastAttempt
  const token = app.metadata.annotations?.[annotations.retry] ?? ''
  const retried = token !== (app.status?.reconcileRetry?.token ?? '')
  const goesOn = last?.id === attempt.record && last.phase === 'Running' && !retried
  const { intent: acceptedIntent, namespace, leaving } = viewOf(app)
  const known = app.status?.history ?? []
  const history = successesIn(app.status).filter(({ id }) => id !== attempt.record)
  const isFrozen = frozenImage === undefined || canonical(frozenImage) === canonical(app.status?.frozenImage)
  if (app.status?.acceptedIntent === acceptedIntent && isFrozen && (action === 'reconcile' || goesOn)) return app
  const running = {
    id: attempt.record,
    phase: 'Running' as const,
    startedAt: goesOn ? (last.startedAt ?? now) : now,
    summary: 'rolling out',
    errors: [],
  }
  const verdict = {
    ready: false,
    reason: 'Progressing' as const,
    message: action === 'deploy' ? rollingOut(attempt.record) : 'applying changed settings',
  }
  return writeAppStatus(needs, app, verdict, {
    acceptedIntent,
    // A caller may revert the edit while it is half applied: the intent of before must count as work then.
    observedIntent: null,
    // Unknown until the pass ends: meanwhile the cluster has neither the old objects nor the new ones in full.
    applied: null,
    targetNamespace: namespace,
    ...(leaving.length === 0 ? {} : { leaving: [...leaving] }),
    ...(spec.volume === undefined
      ? {}
      : { volume: { ...app.status?.volume, claim: volumeClaimName(app.metadata.name) } }),
    reconcileRetry: { token },
    ...(action === 'deploy' ? { lastAttempt: running } : {}),
    ...(action === 'deploy' && canonical(history) !== canonical(known) ? { history } : {}),
    ...defined({ frozenImage }),
  })
}
