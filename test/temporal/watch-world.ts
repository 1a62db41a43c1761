/** A watch over ready services of a recorded cluster; judged by the wakes it sends. */
import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations, finalizers } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { type App, appSpec } from '../../kinds/apps/kind.ts'
import { activeRecordName, ownedLabels } from '../../kinds/apps/names.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { LocalWakes } from '../../temporal/watch/local-wakes.ts'
import { WakeQueue } from '../../temporal/watch/wake-queue.ts'
import type { Watch } from '../../temporal/watch/watch.ts'
import { watchApps } from '../../temporal/watch/watch-apps.ts'
import { createWorkerCaches, type WorkerCaches } from '../../temporal/caches/worker-caches.ts'
import { recordedCluster } from './recorded-cluster.ts'

const project = 'proj-00000001'
export const namespace = `${project}-production`

export function readyApp(index: number): App {
  const name = `app-${index}`
  const spec = appSpec.parse({
    project,
    environment: 'production',
    source: { image: { image: 'svc/hello:1' } },
    deploy: { enabled: true },
  })
  const attempt = {
    record: `${name}-abcde`,
    operation: 'deploy',
    actor: 'a',
    requestId: 'r',
    title: 't',
    at: '2026-01-01T00:00:00Z',
  }
  const app: App = {
    apiVersion,
    kind: 'SvcApp',
    metadata: {
      name,
      namespace: systemNamespace,
      uid: `uid-${index}`,
      generation: 2,
      finalizers: [finalizers.app],
      annotations: { [annotations.attempt]: JSON.stringify(attempt), [annotations.lastDeployed]: JSON.stringify(spec) },
    },
    spec,
  }
  const intent = viewOf(app).intent
  return {
    ...app,
    status: {
      observedIntent: intent,
      acceptedIntent: intent,
      release: attempt.record,
      lastAttempt: { id: attempt.record, phase: 'Succeeded' },
      conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: attempt.at }],
    },
  }
}

export function childrenOf(app: App): [keyof typeof coreTypes, KubeObject][] {
  const meta = {
    name: app.metadata.name,
    namespace,
    labels: ownedLabels({ name: app.metadata.name, uid: app.metadata.uid ?? '', project, environment: 'production' }),
  }
  const release = { [annotations.release]: app.status?.release ?? '' }
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...meta, generation: 1, annotations: release },
    spec: { replicas: 1 },
    status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
  }
  return [
    ['deployment', deployment],
    ['service', { apiVersion: 'v1', kind: 'Service', metadata: meta }],
    ['serviceAccount', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: meta }],
  ]
}

/** Written after the history of a deploy that succeeded. */
const activeOf = (app: App): KubeObject => ({
  apiVersion,
  kind: resourceTypes.deployment.kind,
  metadata: { name: activeRecordName(app.metadata.name), namespace: systemNamespace },
  ...{ spec: { app: app.metadata.name }, status: { phase: 'Available', startedAt: viewOf(app).attempt?.at } },
})

/** For the tests of a `describe`: a watch over that many ready services, and the wakes that it sent. */
export function useWatch(services: number) {
  const sent: string[] = []
  const cluster = recordedCluster()
  let caches: WorkerCaches
  let queue: WakeQueue
  let watch: Watch
  let localWakes: LocalWakes

  const put = (app: App) => cluster.put(resourceTypes.app, app)
  const add = (app: App) => {
    put(app)
    for (const [type, child] of childrenOf(app)) cluster.put(coreTypes[type], child)
    cluster.put(resourceTypes.deployment, activeOf(app))
  }
  const start = async () => {
    caches = createWorkerCaches(cluster.client, silentLog)
    await caches.start()
    queue = new WakeQueue(async (kind, name, wake) => {
      await Promise.resolve()
      sent.push(`${kind}/${name} ${wake.reason}`)
    }, silentLog)
    localWakes = new LocalWakes()
    watch = watchApps(caches, queue, localWakes)
  }
  const stop = async () => {
    watch.stop()
    queue.stop()
    await caches.stop()
  }

  before(async function () {
    this.timeout(20_000)
    for (let index = 0; index < services; index += 1) add(readyApp(index))
    await start()
  })
  beforeEach(() => {
    sent.length = 0
  })
  after(stop)

  return {
    sent,
    cluster,
    put,
    start,
    stop,
    /** Of the watch that runs. */
    missingOf: (name: string) => watch.missingOf(name),
    localWakes: () => localWakes,
    quiet: () => sleep(700), // more than two debounce windows
  }
}
