/** Notifies a project's webhooks of a deploy: a durable delivery for each, under an id that can be started once. */
import type { DeployEvent } from '../../contract/fields/words.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { DeployNotice } from '../../kinds/projects/deploy-notice.ts'
import { isSubscribed, type Webhook } from '../../kinds/projects/webhooks.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { defined } from '../../contract/defined.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { buildName } from '../../kinds/builds/names.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { reportDeploy } from '../context/report-deploy.ts'

type Needs = Pick<
  ActivityNeeds,
  'projects' | 'deployments' | 'builds' | 'gitHost' | 'startDelivery' | 'startReport' | 'lateMs' | 'now'
>

/** An event of an attempt; times in RFC 3339. */
export interface Happened {
  event: DeployEvent
  record: string
  at: string
  startedAt?: string | undefined
  /** Why the attempt failed. */
  error?: string | undefined
}

/**
 * Called after the write that decided the event, and again whenever that pass is repeated. Reads nothing without
 * webhooks. `late`: an earlier pass wrote the decision; the event is sent only while it is recent, and to webhooks that
 * existed at its time.
 */
export async function notifyWebhooks(needs: Needs, app: App, happened: Happened, late = false): Promise<void> {
  const hooks = listeners(needs, app, happened, late)
  if (hooks.length === 0) return
  const notice = noticeOf(app, happened, await needs.deployments.read(happened.record))
  await Promise.all(hooks.map(({ id }) => needs.startDelivery(id, notice)))
}

/** Sends that the attempt in the status was started. */
export async function notifyStarted(needs: Needs, app: App, late: boolean): Promise<void> {
  const last = app.status?.lastAttempt
  if (last?.startedAt === undefined) return
  await notifyWebhooks(
    needs,
    app,
    { event: 'deployment.started', record: last.id, at: last.startedAt, startedAt: last.startedAt },
    late,
  )
}

/**
 * Sends the end of the last attempt, if the status has one; before that its start, which a worker that died may not
 * have sent.
 */
export async function notifyEnded(needs: Needs, app: App, late: boolean): Promise<void> {
  const last = app.status?.lastAttempt
  if (last === undefined || last.phase === 'Running' || last.completedAt === undefined) return
  await notifyStarted(needs, app, true)
  const { id: record, completedAt: at, startedAt, summary } = last
  await reportEnded(needs, app, at, late)
  const failed = last.phase === 'Failed'
  await notifyWebhooks(
    needs,
    app,
    {
      event: failed ? 'deployment.failed' : 'deployment.succeeded',
      record,
      at,
      startedAt,
      ...(failed ? { error: summary ?? '' } : {}),
    },
    late,
  )
}

/** Reports the end of a deploy that has a build to the git host, too. */
async function reportEnded(needs: Needs, app: App, at: string, late: boolean): Promise<void> {
  if (app.spec.source.git === undefined || (late && needs.now().getTime() - Date.parse(at) > needs.lateMs)) return
  const { attempt } = viewOf(app)
  if (attempt === undefined || app.status?.lastAttempt?.id !== attempt.record) return
  const build = await needs.builds.read(buildName(attempt.record, app.metadata.annotations?.[annotations.retry] ?? ''))
  if (build !== undefined) await reportDeploy(needs, build, `ended ${at}`)
}

/**
 * Sends the start or the end of the last attempt in the status, before that is overwritten: the worker that wrote it
 * may have died before it sent them.
 */
export function notifyLast(needs: Needs, app: App): Promise<void> {
  return app.status?.lastAttempt?.phase === 'Running' ? notifyStarted(needs, app, true) : notifyEnded(needs, app, true)
}

function listeners(
  { projects, lateMs, now }: Needs,
  app: App,
  { event, at }: Happened,
  late: boolean,
): readonly Webhook[] {
  const hooks = projects.cache.get(app.spec.project, systemNamespace)?.spec.webhooks ?? []
  if (hooks.length === 0 || (late && now().getTime() - Date.parse(at) > lateMs)) return []
  return hooks.filter((hook) => isSubscribed(hook, event) && (!late || Date.parse(hook.since ?? at) <= Date.parse(at)))
}

const phases = {
  'deployment.started': 'Running',
  'deployment.succeeded': 'Succeeded',
  'deployment.failed': 'Failed',
} as const

/** The content of the message, fixed at the time of the event: every try sends the same. */
function noticeOf(
  { metadata, spec }: App,
  { event, record, at, startedAt, error }: Happened,
  deployment: Deployment | undefined,
): DeployNotice {
  const { image = '', commit = '', trigger = '', actor = '', changeTitle = '' } = deployment?.spec ?? {}
  return {
    event,
    at,
    project: spec.project,
    environment: spec.environment,
    app: metadata.name,
    deployment: {
      id: record,
      phase: phases[event],
      image,
      commit,
      trigger,
      actor,
      changeTitle,
      ...defined({ startedAt }),
      ...(event === 'deployment.started' ? {} : { completedAt: at }),
    },
    ...defined({ error }),
  }
}
