/** One worker of svc: runs the workflows and their activities, and turns cluster events into wakes. */
import type { Client } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import { createEnvironmentAccess } from '../activities/context/environment-access.ts'
import { type PlacementSettings, type RecordStores, storesOf } from '../activities/context/needs.ts'
import { noteCutRun } from '../activities/functions/call.ts'
import { createPlatformActivities } from '../activities/platform/activities.ts'
import type { ResyncNeeds } from '../activities/resync/activities.ts'
import { recordEvent } from '../activities/kube/event.ts'
import type { ResourceCache } from '../cluster/cache/cache.ts'
import type { ClusterClient } from '../cluster/client.ts'
import { withForbiddenAsNotFound } from '../cluster/forbidden-as-not-found.ts'
import { createDiscovery } from '../cluster/discovery.ts'
import type { Logger } from '../cluster/objects/log.ts'
import type { KubeObject } from '../cluster/objects/object.ts'
import type { Policy } from '../durable/policy.ts'
import { workflowId } from '../durable/ids.ts'
import { systemNamespace } from '../kinds/meta/group.ts'
import {
  type ComparedKind,
  comparedKinds,
  type ReconciledKind,
  type RecordsName,
  resourceTypes,
} from '../kinds/meta/resource-types.ts'
import { createGitHost } from '../outside/githost/githost.ts'
import { createPullRequestHost } from '../outside/githost/pull-requests.ts'
import { bindEnvironments } from '../records/projects/environment-bindings.ts'
import { recordStore } from '../records/store/record-store.ts'
import { connectTemporal, type TemporalClient, type TemporalSettings } from './client/client.ts'
import { createDeliveries } from './client/deliveries.ts'
import { checkLimits } from './settings/builder.ts'
import { createReports } from './client/reports.ts'
import { createFunctionSchedules } from './client/schedules.ts'
import { ensureCluster } from './setup/ensure-cluster.ts'
import { isOpen, sendWake, type WakeOptions, wakePullRequest } from './client/wakes.ts'
import { isVersioned, keepCurrent } from './releases/keep-current.ts'
import { type StuckRunNeeds, restartStuckRuns } from './runs/stuck-runs.ts'
import { createPollers } from './pollers/pollers.ts'
import { ensureNamespace, ensureResync, ensureSearchAttributes } from './setup/ensure-temporal.ts'
import { createWorkerCaches, type WorkerCaches } from './caches/worker-caches.ts'
import { withPlatformHosts } from './settings/platform-hosts.ts'
import { hasWork, watchOwnKinds } from './own-workflow-kinds.ts'
import type { WorkerOptions } from './worker-options.ts'
import { LocalWakes } from './watch/local-wakes.ts'
import { RolloutTurns } from './watch/rollout-turns.ts'
import { WakeQueue } from './watch/wake-queue.ts'
import type { Watch } from './watch/watch.ts'
import { watchPlatform } from './watch/watch-platform.ts'
import { watchedKinds } from './watch/watch-provisioned.ts'
import { watchReadiness } from './watch/watch-readiness.ts'
import { defined } from '../contract/defined.ts'

export interface RunningWorker {
  /** Resolves once it is decided which release is current: this one, or another one that runs beside it. */
  decided: Promise<void>
  /** Rejects when the worker fails. */
  done: Promise<void>
  /** Wakes that the watch has sent so far. */
  wakesSent(): number
  stop(): Promise<void>
}

const wakeDeadlineMs = 5_000

/** Resolves once the caches are synced and the worker polls. A start that fails leaves nothing running. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const temporal = connectTemporal(options.temporal)
  const caches = createWorkerCaches(options.cluster, options.log)
  try {
    return await runWorker(options, temporal, caches)
  } catch (error) {
    await Promise.allSettled([temporal.close(), caches.stop()])
    throw error
  }
}

async function runWorker(
  options: WorkerOptions,
  temporal: TemporalClient,
  caches: WorkerCaches,
): Promise<RunningWorker> {
  const { cluster, temporal: settings, log, metrics, now = () => new Date() } = options
  const placement = withPlatformHosts(options.placement, caches)
  await ensureNamespace(temporal.connection, settings.namespace)
  const searchable = settings.searchable && (await ensureSearchAttributes(temporal.connection, settings.namespace, log))
  const wakeSettings = { client: temporal.client, policy: settings.policy, searchable }
  await bindRights(cluster, log)
  await caches.start()
  await ensureCluster(cluster, now())
  await ensureResync(temporal.client, settings.policy)

  let watches: readonly Watch[] = []
  const localWakes = new LocalWakes()
  const rolloutTurns = new RolloutTurns(caches.children.deployments)
  const platform = platformActivities(options, caches, placement)
  const needs: ResyncNeeds = {
    client: withForbiddenAsNotFound(cluster),
    discovery: createDiscovery(cluster),
    ...recordStores(cluster, caches),
    ...limitsOf(settings.policy),
    children: caches.children,
    access: createEnvironmentAccess(cluster, () => now().getTime()),
    clouds: options.clouds,
    gitHost: createGitHost(options.gitHost),
    pullRequests: createPullRequestHost(options.gitHost),
    placement,
    objectServer: options.objectServer,
    backupImage: options.backupImage,
    binlogImage: options.binlogImage,
    builder: options.builder,
    registries: options.registries,
    imageRemover: options.imageRemover,
    schedules: createFunctionSchedules(wakeSettings),
    startDelivery: createDeliveries(wakeSettings),
    startReport: createReports(wakeSettings),
    now,
    log,
    isOpen: (kind, name) => isOpen(temporal.client, workflowId(kind, name), wakeDeadlineMs),
    platformAsks: async () => Object.values(await platform.readPlatformPlan()).includes(true),
    wake: (kind, name, reason) => sendWake(wakeSettings, kind, name, { reason }, wakeDeadlineMs),
    wakePullRequest: (ref, reason) => wakePullRequest(wakeSettings, ref, { reason }, wakeDeadlineMs),
    hasWork,
    missingOf: (kind, name) => watches.find((watch) => watch.kind === kind)?.missingOf(name),
    copiesNews: localWakes,
    rolloutTurns,
  }
  const native = await connectPollers(settings)
  const versioned = await isVersioned({ client: temporal.client, mode: options.releases ?? 'newest', log })
  const workers = await createPollers(options, native, needs, platform, versioned)
  const queue = createQueue(wakeSettings, log)
  metrics?.watchQueue(() => queue.waiting)
  watches = startWatches(caches, queue, localWakes, placement)
  const stops = [
    ...watches.map(({ stop }) => stop),
    rolloutTurns.stop,
    watchPlatform({ ...caches, nodes: caches.readiness.nodes }, queue),
    watchReadiness({ client: cluster, caches: caches.readiness, ingressClass: placement.ingressClass, now, log }),
  ]
  const runs = workers.map((worker) => worker.run())
  const stopRestarts = startRestarts(options, temporal.client, {
    wake: (kind, name, reason, opening) => sendWake(wakeSettings, kind, name, { reason }, wakeDeadlineMs, opening),
    noteCut: noteCutRun(needs),
  })
  const keeping = versioned ? startKeeping(options, temporal.client) : undefined
  return {
    decided: keeping?.decided ?? Promise.resolve(),
    done: Promise.all(runs).then(() => undefined),
    wakesSent: () => queue.sent,
    stop: async () => {
      for (const stop of stops) stop()
      queue.stop()
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
      await Promise.all([...runs, stopRestarts(), keeping?.stop()])
      await Promise.all([native.close(), temporal.close(), caches.stop()])
    },
  }
}

/** The durations and counts of the policy that activities need. */
const limitsOf = (policy: Policy) => ({
  pullRequestIdleMs: policy.pullRequestIdleMs,
  emptyingMs: policy.activityMs / 2,
  cloudSettleMs: policy.cloudSettleMs,
  checks: checkLimits(policy),
  crashRestarts: policy.crashRestarts,
  steadyMs: policy.steadyMs,
  // The SDK prolongs a workflow task after four fifths of its time; the half is for what both clocks do not see.
  aloneMs: Math.min(policy.workflowTaskMs / 5, policy.heartbeatMs) / 2,
  dropMs: policy.dropMs,
  lateMs: policy.webhookGiveUpMs,
  sweepMs: policy.sweepMs,
})

/**
 * Creates the RoleBindings in environments that are older than those of crds/rbac.yaml; passes create missing ones,
 * too.
 */
async function bindRights(cluster: ClusterClient, log: Logger): Promise<void> {
  try {
    const bound = await bindEnvironments(cluster)
    if (bound > 0) log.info({ namespaces: bound }, 'the rights in namespaces of environments were created')
  } catch (error) {
    log.warn(
      { err: error },
      'the rights in namespaces of environments could not be made: is crds/rbac.yaml of this version installed?',
    )
  }
}

function recordStores(cluster: ClusterClient, caches: WorkerCaches): RecordStores & Pick<ResyncNeeds, 'deployments'> {
  const cached: Record<RecordsName<ComparedKind>, unknown> = { ...caches, ...caches.data }
  const cacheOf = (kind: ComparedKind) => cached[comparedKinds[kind].records] as ResourceCache<KubeObject>
  return {
    ...storesOf((kind) => recordStore(cluster, cacheOf(kind), resourceTypes[kind])),
    deployments: recordStore(cluster, caches.deployments, resourceTypes.deployment),
  }
}

const connectPollers = ({ address, tls, apiKey }: TemporalSettings): Promise<NativeConnection> =>
  NativeConnection.connect({
    address,
    ...defined({ tls, apiKey }),
  })

function startRestarts(
  { cluster, temporal, release, log, metrics, now = () => new Date() }: WorkerOptions,
  client: Client,
  means: Pick<StuckRunNeeds, 'wake' | 'noteCut'>,
) {
  const { runLookMs, longWorkflowTaskMs } = temporal.policy
  return restartStuckRuns({
    client,
    release: release.id,
    lookMs: runLookMs,
    longTaskMs: longWorkflowTaskMs,
    ...means,
    recordEnded: (kind, name, message, runId) => recordRunEnded(cluster, kind, name, { message, runId }, now()),
    log,
    metrics: metrics?.runs,
  })
}

function startKeeping(
  { temporal: { policy }, release, releases = 'newest', log, metrics }: WorkerOptions,
  client: Client,
) {
  const { releaseLookMs: lookMs, releaseSilentMs: silentMs } = policy
  return keepCurrent({
    client,
    own: release.id,
    mode: releases,
    lookMs,
    silentMs,
    log,
    onLook: metrics?.release(release.id),
  })
}

/** Records an Event on the record whose run was terminated, if the record still exists. */
async function recordRunEnded(
  client: ClusterClient,
  kind: ReconciledKind,
  name: string,
  { message, runId }: { message: string; runId: string },
  at: Date,
) {
  const type = kind === 'platform' ? resourceTypes.platformConfig : resourceTypes[kind]
  const record = await client.get<KubeObject>({ type, namespace: systemNamespace, name })
  if (record !== undefined)
    await recordEvent(client, record, { type: 'Warning', reason: 'RunEnded', message, occurrence: runId }, at)
}

const createQueue = (settings: WakeOptions, log: Logger): WakeQueue =>
  new WakeQueue(
    (kind, name, wake, attributes) => sendWake(settings, kind, name, wake, wakeDeadlineMs, { attributes }),
    log,
  )

/** The watches: they turn events of records and of objects made for them into wakes. */
function startWatches(
  caches: WorkerCaches,
  queue: WakeQueue,
  localWakes: LocalWakes,
  placement: PlacementSettings,
): Watch[] {
  const kinds = watchedKinds(caches)
  return [
    ...watchOwnKinds({ caches, queue, localWakes, placement }),
    ...kinds.map((kind) => kind.watch(kinds, queue, caches)),
  ]
}

function platformActivities(
  { cluster, exposure, now = () => new Date() }: WorkerOptions,
  caches: WorkerCaches,
  placement: PlacementSettings,
) {
  const config = recordStore(cluster, caches.platformConfig, resourceTypes.platformConfig)
  return createPlatformActivities({
    client: cluster,
    config,
    apps: caches.apps,
    nodes: caches.readiness.nodes,
    placement,
    ...exposure,
    now,
  })
}
