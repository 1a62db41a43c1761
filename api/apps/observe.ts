/** What callers see of services: lists, records, state, pods, logs and metrics. */
import { canMutate, canReadSensitive } from '../../contract/caller.ts'
import type { View } from '../../contract/operations.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { shownAddress } from '../../kinds/apps/hosts.ts'
import { pendingChangesOf } from '../../kinds/provision/draft.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { wantedCopies } from '../../kinds/apps/assess/health.ts'
import { volumeClaimName } from '../../kinds/apps/names.ts'
import { attemptWithoutNames, redactedApp, redactedAppStatus } from '../../kinds/apps/redact.ts'
import { appState, lastAttemptOf } from '../../kinds/apps/state.ts'
import { appSummary, isSleeping, shownSleep } from '../../kinds/apps/summary.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { serviceQueries } from '../../kinds/metrics/queries.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { withoutNames } from '../../kinds/meta/without-names.ts'
import { byApp, byVolume } from '../context/caches.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import type { PodSeen, WorkloadSeen } from '../context/trim.ts'
import { followLogs } from '../logs/follow-logs.ts'
import { podsOf, readRecent, sourcesOf } from '../logs/log-lines.ts'
import { createKeptView } from '../views/kept-view.ts'
import { readSeries } from '../views/read-series.ts'
import { withVersion } from '../views/record-version.ts'
import { createSummaryList } from '../views/summary-list.ts'
import { appOf, stillSeen } from './service-of-call.ts'
import { shownBuild, type ShownBuild } from './shown-build.ts'
import { troubleOf, troublesOf, withTrouble } from './volume-trouble.ts'
import { defined } from '../../contract/defined.ts'

/** `GET /apps`: services from the cache, each with the trouble of its volume. */
export const list = (needs: Needs): Handler<'apps.list'> => {
  const { apps } = needs.caches
  const summaries = createSummaryList(apps, appSummary)
  const kept = createKeptView<View<'apps.list'>>()
  return async (call) => {
    const view = await summaries(call)
    const troubles = await troublesOf(needs, apps.by(byVolume, byVolume))
    if (troubles.size === 0) return view
    // One text for all troubles, so that the list is made again when one of them changes.
    return kept({ record: view, sources: [JSON.stringify([...troubles])] }, () => ({
      items: view.items.map((summary) => withTrouble(summary, troubles.get(summary.name))),
    }))
  }
}

/** `GET /apps/{name}`: the whole service; fields that callers without the right to change it may not see are blank. */
export const get = (needs: Needs): Handler<'apps.get'> => {
  const kept = createKeptView<View<'apps.get'>>()
  return async (call) => {
    const app = await appOf(needs, call)
    const trouble = await troubleOf(needs, app)
    const full = canMutate(call.caller)
    return kept({ record: app, form: full ? 'whole' : 'redacted', sources: [trouble] }, () =>
      withVersion(
        {
          resource: withTrouble(appSummary(app, full), trouble),
          spec: { ...(full ? app.spec : redactedApp(app.spec)) },
          status: { ...(full ? app.status : redactedAppStatus(app.status)) },
        },
        app,
      ),
    )
  }
}

/** `GET /apps/{name}/status`: state, number of running copies, newest build and attempt. */
export const status = (needs: Needs): Handler<'apps.status'> => {
  const kept = createKeptView<View<'apps.status'>>()
  const { workloads, builds } = needs.caches
  return async (call) => {
    const app = await appOf(needs, call)
    const { name } = app.metadata
    const workload = workloads.get(name, namespaceOf(app.spec.project, app.spec.environment))
    const made = builds.by(byApp, name)
    const trouble = await troubleOf(needs, app)
    const full = canReadSensitive(call.caller)
    return kept({ record: app, form: full ? 'whole' : 'redacted', sources: [workload, made, trouble] }, () =>
      withTrouble(describeStatus(app, { workload, builds: made, full }), trouble),
    )
  }
}

function describeStatus(
  app: App,
  seen: { workload: WorkloadSeen | undefined; builds: readonly Build[]; full: boolean },
): View<'apps.status'> {
  const { workload, builds, full } = seen
  const { name } = app.metadata
  const { project, environment } = app.spec
  const { state, message } = appState(app)
  const awake = (workload?.spec?.replicas ?? 0) > 0 // a moment before its status says so
  const sleeping = isSleeping(app) && !awake
  return {
    name,
    project,
    environment,
    state,
    message: full ? message : withoutNames(message),
    url: shownAddress(app),
    pendingChanges: pendingChangesOf(app).length,
    ready: state === 'ready',
    replicas: replicasNow(app, workload),
    ...(sleeping ? { sleeping: true as const } : {}),
    ...shownSleep(app.spec, app.status),
    ...shownBuildView(app, builds, full),
    ...lastAttemptView(app, full),
  }
}

/** From the current Deployment; without one, the wanted number and none running. */
function replicasNow(app: App, workload: WorkloadSeen | undefined) {
  const wanted = app.spec.deploy.enabled ? wantedCopies(app.spec) : 0
  const { readyReplicas: ready = 0, availableReplicas: available = 0 } = workload?.status ?? {}
  return { desired: workload?.spec?.replicas ?? wanted, ready, available }
}

function shownBuildView(app: App, builds: readonly Build[], full: boolean) {
  const shown = shownBuild(app, builds)
  return shown === undefined ? {} : { build: buildView(shown, full) }
}

function buildView({ metadata, status: seen }: ShownBuild, full: boolean) {
  const { phase = 'Pending', failureReason: why, sourceRevision, ciState, startedAt, completedAt } = seen ?? {}
  const failureReason = full || why === undefined ? why : withoutNames(why)
  return {
    name: metadata.name,
    phase,
    ...defined({ failureReason, sourceRevision, ciState, startedAt, completedAt }),
  }
}

function lastAttemptView(app: App, full: boolean) {
  const last = lastAttemptOf(app)
  if (last === undefined) return {}
  const { id, phase, startedAt = '', completedAt, summary, errors } = full ? last : attemptWithoutNames(last)
  return {
    lastAttempt: {
      id,
      phase,
      startedAt,
      ...defined({ completedAt, summary, errors }),
    },
  }
}

/** `GET /apps/{name}/runtime`: the pods of a service. */
export const runtime = (needs: Needs): Handler<'apps.runtime'> => {
  const kept = createKeptView<View<'apps.runtime'>>()
  return async (call) => {
    const app = await appOf(needs, call)
    const sources = [needs.caches.pods.by(byApp, app.metadata.name)]
    return kept({ record: app, sources }, () => ({ pods: podsOf(needs.caches, app).map(describePod) }))
  }
}

const describePod = ({ metadata, spec, status: seen }: PodSeen) => ({
  name: metadata.name,
  phase: metadata.deletionTimestamp === undefined ? (seen?.phase ?? 'Unknown') : 'Terminating',
  container: spec?.containers?.[0]?.name ?? '',
})

/** `GET /apps/{name}/logs`: recent lines of all pods, oldest first. */
export const logs =
  (needs: Needs): Handler<'apps.logs'> =>
  async (call) => {
    const app = await appOf(needs, call)
    const { lines, truncated, note } = await readRecent(needs, sourcesOf(needs.caches, app), call.params, call.signal)
    return { lines, services: [app.metadata.name], truncated, note }
  }

/**
 * `GET /apps/{name}/logs/stream`: server-sent events, one log line each, recent first and then new, until the service
 * is deleted.
 */
export const logsStream =
  (needs: Needs): Handler<'apps.logs-stream'> =>
  async (call) => {
    const followed = await appOf(needs, call)
    const { name, uid } = followed.metadata
    const seen = stillSeen(needs, call.caller, followed)
    return followLogs(needs, {
      sources: () => {
        const app = seen()
        return app === undefined ? [] : sourcesOf(needs.caches, app)
      },
      concerns: (pod) => pod.metadata.labels?.[labels.owner] === uid,
      mayGoOn: () => seen() !== undefined,
      onRecordChange: (listener) =>
        needs.caches.apps.onChange(({ object }) => {
          if (object.metadata.name === name) listener()
        }),
      ...{ query: call.params, signal: call.signal },
    })
  }

/** `GET /apps/{name}/metrics`: the resources that the copies of a service use, and its requests. */
export const metrics =
  (needs: Needs): Handler<'apps.metrics'> =>
  async (call) => {
    const { metadata, spec } = await appOf(needs, call)
    const claim = spec.volume === undefined ? undefined : volumeClaimName(metadata.name)
    return await readSeries(needs, call.params.window, (step) =>
      serviceQueries(namespaceOf(spec.project, spec.environment), metadata.name, step, claim),
    )
  }
