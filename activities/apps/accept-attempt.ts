/** Writes the status that accepts an attempt, and before it the ends of earlier attempts that are not written yet. */
import { annotations } from '../../kinds/meta/annotations.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import type { Attempt, AttemptEnd } from '../../kinds/apps/deploy/attempt.ts'
import {
  type Accepted,
  acceptedIn,
  endSteps,
  rollingOut,
  appendAttemptLog,
} from '../../records/store/attempt-history.ts'
import type { FrozenImage } from '../../kinds/apps/deploy/image.ts'
import { isInHistory } from '../../kinds/apps/assess/judge.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { volumeClaimName } from '../../kinds/apps/names.ts'
import { viewOf } from '../../kinds/apps/view.ts'
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

/** Writes log entries and sends webhooks of earlier attempts, before the new status overwrites `lastAttempt`. */
export async function endFormer(needs: ActivityNeeds, app: App, attempt: Attempt): Promise<void> {
  await notifyLast(needs, app)
  const unwritten = await formerWithoutHistory(needs, app, attempt)
  if (unwritten !== undefined) {
    const { former, end, frozen } = unwritten
    await appendAttemptLog(needs, viewOf(app), former.record, endSteps(former, end, frozen), { image: frozen?.image })
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

/** The previous attempt, if it succeeded and its worker died before it wrote that success to the history. */
export async function formerWithoutHistory(
  needs: Pick<ActivityNeeds, 'deployments'>,
  app: App,
  attempt: Attempt,
): Promise<{ former: Accepted; end: AttemptEnd; frozen: FrozenImage | undefined } | undefined> {
  const { lastAttempt: last, frozenImage } = app.status ?? {}
  if (last === undefined || last.id === attempt.record || last.phase !== 'Succeeded') return undefined
  const record = await needs.deployments.read(last.id)
  const former = record === undefined ? undefined : acceptedIn(record)
  if (former === undefined || isInHistory(needs.deployments.cache, viewOf(app), former.at)) return undefined
  const { startedAt = former.at, completedAt = startedAt, summary = '' } = last
  return {
    former,
    end: { phase: last.phase, summary, startedAt, completedAt },
    frozen: frozenImage?.attempt === last.id ? frozenImage : undefined,
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
    ...defined({ frozenImage }),
  })
}
