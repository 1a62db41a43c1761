/** A deploy of a git service while its image is being built, and the end of the attempt if the build fails. */
import type { Attempt } from '../../kinds/apps/deploy/attempt.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { recordDeploy } from '../../records/store/record-deploy.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { appendAttemptLog } from '../../records/store/attempt-history.ts'
import { notifyEnded, notifyStarted } from '../webhooks/notify.ts'
import { endFormer, markAccepted } from './accept-attempt.ts'
import { says, writeAppStatus } from '../kube/write-status.ts'
import type { BuildState } from './await-build.ts'
import { endFailed } from './write-verdict.ts'
import type { Prepared } from './messages.ts'

/** Accepts the attempt and changes no running copy: the attempt waits for its build, or fails with the build. */
export async function awaitImage(
  needs: ActivityNeeds,
  action: 'deploy' | 'reconcile',
  { app, attempt, spec }: { app: App; attempt: Attempt; spec: AppSpec },
  build: Exclude<BuildState, { state: 'built' }>,
): Promise<Prepared> {
  if (action === 'deploy') await endFormer(needs, app, attempt)
  const taken = await markAccepted(needs, app, { attempt, spec, action, frozenImage: undefined })
  if (action === 'deploy') {
    await notifyStarted(needs, taken, app.status?.lastAttempt?.id === attempt.record)
    await recordDeploy(needs.deployments, taken, attempt, spec)
  }
  const { message } = build
  if (build.state === 'failed') {
    const replicas = taken.status?.replicas ?? { desired: spec.replicas, ready: 0, available: 0 }
    const health = { ready: false, reason: 'Missing' as const, message, replicas, restarts: 0 }
    const view = viewOf(taken)
    const ended = await endFailed(needs, { view, spec, health }, message, 'BuildFailed')
    await notifyEnded(needs, ended, !view.attemptRuns)
    return { outcome: 'ended', plan: viewOf(ended).plan, failure: message }
  }
  const waiting = says(viewOf(taken).ready, message)
    ? taken
    : await writeAppStatus(needs, await logged(needs, taken, attempt, message), {
        ready: false,
        reason: 'Building',
        message,
      })
  // The deadline of the rollout counts from the end of the build, which has a deadline of its own.
  return { outcome: 'waiting', reason: 'Building', message, plan: viewOf(waiting).plan, ranMs: 0 }
}

async function logged(needs: ActivityNeeds, app: App, attempt: Attempt, text: string): Promise<App> {
  await appendAttemptLog(needs, viewOf(app), attempt.record, [{ at: needs.now().toISOString(), text }])
  return app
}
