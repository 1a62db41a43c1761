/** `GET /apps/{name}/status`: the state, the copies that run right now, the newest build and attempt. */
import { canReadSensitive } from '../../contract/caller.ts'
import { shownAddress } from '../../kinds/apps/address.ts'
import { pendingChanges } from '../../kinds/apps/effective-spec.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { fixedReplicas } from '../../kinds/apps/manifests.ts'
import { attemptWithoutNames } from '../../kinds/apps/redact.ts'
import { appState, lastAttemptOf } from '../../kinds/apps/state.ts'
import { shownSleep } from '../../kinds/apps/summary.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { withoutNames } from '../../kinds/without-names.ts'
import { newestBuild } from '../../kinds/builds/phase.ts'
import { namespaceOf } from '../../kinds/namespaces.ts'
import { byApp } from '../context/caches.ts'
import type { Caches } from '../context/caches.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { appOf } from './scope.ts'

export const status =
  (needs: Needs): Handler<'apps.status'> =>
  async (call) => {
    const app = await appOf(needs, call)
    const { name } = app.metadata
    const { project, environment } = app.spec
    const { state, message } = appState(app)
    const full = canReadSensitive(call.caller)
    const sleeping = app.spec.scaleToZero.enabled && app.status?.sleeping === true
    return {
      name,
      project,
      environment,
      state,
      message: full ? message : withoutNames(message),
      url: shownAddress(app),
      pendingChanges: pendingChanges(app).length,
      ready: state === 'ready',
      replicas: copiesOf(needs.caches, app),
      ...(sleeping ? { sleeping: true as const } : {}),
      ...shownSleep(app.spec, app.status),
      ...buildOf(needs.caches, name),
      ...attemptOf(app, full),
    }
  }

/** From the Deployment as it is now; before there is one, what is wanted and nothing running. */
function copiesOf({ workloads }: Caches, app: App) {
  const workload = workloads.get(app.metadata.name, namespaceOf(app.spec.project, app.spec.environment))
  const wanted = app.spec.deploy.enabled ? (fixedReplicas(app.spec) ?? app.spec.autoscaling?.minReplicas ?? 0) : 0
  const { readyReplicas: ready = 0, availableReplicas: available = 0 } = workload?.status ?? {}
  return { desired: workload?.spec?.replicas ?? wanted, ready, available }
}

function buildOf({ builds }: Caches, name: string) {
  const newest = newestBuild(builds.by(byApp, name))
  return newest === undefined ? {} : { build: toldBuild(newest) }
}

function toldBuild({ metadata, status: seen }: Build) {
  const { phase = 'Pending', failureReason, sourceRevision, ciState, startedAt, completedAt } = seen ?? {}
  return {
    name: metadata.name,
    phase,
    ...(failureReason === undefined ? {} : { failureReason }),
    ...(sourceRevision === undefined ? {} : { sourceRevision }),
    ...(ciState === undefined ? {} : { ciState }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(completedAt === undefined ? {} : { completedAt }),
  }
}

function attemptOf(app: App, full: boolean) {
  const last = lastAttemptOf(app)
  if (last === undefined) return {}
  const { id, phase, startedAt = '', completedAt, summary, errors } = full ? last : attemptWithoutNames(last)
  return {
    lastAttempt: {
      id,
      phase,
      startedAt,
      ...(completedAt === undefined ? {} : { completedAt }),
      ...(summary === undefined ? {} : { summary }),
      ...(errors === undefined ? {} : { errors }),
    },
  }
}
