/** What keeps a pass from applying a release, and how the record says so. */
import { ClusterError, isForbidden, isInvalid } from '../../cluster/objects/errors.ts'
import type { Attempt } from '../../kinds/apps/deploy/attempt.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { ReadyReason } from '../../kinds/meta/condition-reasons.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { quotaUsedUp } from '../../kinds/pods/environment-quota.ts'
import type { Wait } from '../context/environment-ready.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { OwnershipConflict } from '../kube/apply-child.ts'
import { appendAttemptLog } from '../../records/store/attempt-history.ts'
import { recordEvent } from '../kube/event.ts'
import { says, writeAppStatus } from '../kube/write-status.ts'
import { ReleaseLost, RunnerMissing } from './release-objects.ts'
import { VolumeRefused } from './volume.ts'

export type Refusal = Wait<ReadyReason<'app'>>

/** A wait, not a failure: the quota is free again when other objects of the environment go. */
export const usedUp = 'QuotaUsedUp'

/** The refusal in an error that every retry would meet again; undefined for any other error, which Temporal retries. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof OwnershipConflict) return { reason: 'NameTaken', message: error.message }
  if (error instanceof ReleaseLost) return { reason: 'ReleaseLost', message: error.message }
  if (error instanceof VolumeRefused || error instanceof RunnerMissing)
    return { reason: 'Refused', message: error.message }
  const quota = error instanceof ClusterError && isForbidden(error) ? quotaUsedUp(error.message) : undefined
  if (quota !== undefined) return { reason: usedUp, message: quota }
  if (error instanceof ClusterError && (isInvalid(error) || isForbidden(error)))
    return { reason: 'Refused', message: `the cluster refuses it: ${error.message}` }
  return undefined
}

/** Writes the wait, once per change of its message: to the status, to the log of a deploy, and as an Event. */
export async function writeWait(
  needs: ActivityNeeds,
  app: App,
  attempt: Attempt,
  wait: Refusal,
  action: 'deploy' | 'reconcile',
): Promise<App> {
  if (says(viewOf(app).ready, wait.message)) return app
  const at = needs.now()
  if (action === 'deploy')
    await appendAttemptLog(needs, viewOf(app), attempt.record, [
      { at: at.toISOString(), text: wait.message.startsWith('waiting') ? wait.message : `waiting: ${wait.message}` },
    ])
  await recordEvent(
    needs.client,
    app,
    { type: 'Warning', reason: wait.reason, message: wait.message, occurrence: `${attempt.record} ${wait.message}` },
    at,
  )
  return writeAppStatus(needs, app, { ready: false, ...wait })
}
