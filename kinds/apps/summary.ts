/** A service as one item of a list (docs/reference/conventions.md#resource-summary). */
import type { ResourceSummary } from '../../contract/views/resource.ts'
import { annotations } from '../meta/annotations.ts'
import { sinceOf } from '../meta/since.ts'
import { withoutNames } from '../meta/without-names.ts'
import { shownAddress } from './hosts.ts'
import { pendingChangesOf } from '../provision/draft.ts'
import type { App, AppSpec, AppStatus } from './kind.ts'
import { appState, lastAttemptOf } from './state.ts'
import { defined } from '../../contract/defined.ts'

/** `full` is false for callers who may not change the service: they do not see its source, nor names in messages. */
export function appSummary(app: App, full: boolean): ResourceSummary {
  const { name, annotations: notes = {}, creationTimestamp = '' } = app.metadata
  const { state, message } = appState(app)
  return {
    kind: 'app',
    name,
    displayName: notes[annotations.displayName] ?? name,
    project: app.spec.project,
    environment: app.spec.environment,
    state,
    message: full ? message : withoutNames(message),
    url: shownAddress(app),
    pendingChanges: pendingChangesOf(app).length,
    createdAt: creationTimestamp,
    ...defined({ since: sinceOf(app, state, lastAttemptOf(app)) }),
    details: {
      port: app.spec.port,
      ...sourceOf(app.spec, full),
      replicas: app.spec.replicas,
      ...shownSleep(app.spec, app.status),
      ...(isSleeping(app) ? { sleeping: true } : {}),
    },
  }
}

/** `image`, `git` or `function`. */
export function sourceWord({ source }: AppSpec): string {
  return source.git !== undefined ? 'git' : source.function !== undefined ? 'function' : 'image'
}

function sourceOf(spec: AppSpec, full: boolean): Record<string, unknown> {
  const { image, git, function: fn } = spec.source
  const shown = (text: string) => (full ? text : '')
  if (git !== undefined) return { source: 'git', repository: shown(git.repository), branch: shown(git.branch) }
  if (fn !== undefined)
    return { source: 'function', runtime: fn.runtime, mode: fn.mode, triggers: full ? fn.triggers : [] }
  return { source: 'image', image: shown(image?.image ?? '') }
}

/** Whether the service has no copies because no request came; never while sleep-when-idle is off. */
export const isSleeping = ({ spec, status }: Pick<App, 'spec' | 'status'>): boolean =>
  spec.scaleToZero.enabled && status?.sleeping === true

/** The settings and the observed state of sleep-when-idle; nothing while it is off. */
export function shownSleep(spec: AppSpec, status: AppStatus | undefined) {
  const { enabled, idleSeconds, maxReplicas } = spec.scaleToZero
  if (!enabled) return {}
  const { active, message } = status?.scaleToZero ?? {}
  // Inactive without a reason was written while the setting was off: nothing is reported yet since it is on again.
  const isReported = active === true || message !== undefined
  return {
    scaleToZero: {
      idleSeconds,
      maxReplicas: maxReplicas ?? Math.max(1, spec.replicas),
      ...(isReported ? defined({ active, message }) : {}),
    },
  }
}
