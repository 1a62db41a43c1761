/** The watch wakes a workflow exactly when there is work; judged by the wakes it sends. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { silentLog } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations, finalizers, labels } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { type App, appSpec } from '../../kinds/apps/kind.ts'
import { activeRecordName, ownedLabels } from '../../kinds/apps/names.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { definitionOf, resourceTypes, sleepTypes } from '../../kinds/meta/resource-types.ts'
import { LocalWakes } from '../../temporal/watch/local-wakes.ts'
import { WakeQueue } from '../../temporal/watch/wake-queue.ts'
import type { Watch } from '../../temporal/watch/watch.ts'
import { watchApps } from '../../temporal/watch/watch-apps.ts'
import { createWorkerCaches, type WorkerCaches } from '../../temporal/caches/worker-caches.ts'
import { eventually } from '../cluster/eventually.ts'
import { recordedCluster } from './recorded-cluster.ts'

const project = 'proj-00000001'
const namespace = `${project}-production`

function readyApp(index: number): App {
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

function childrenOf(app: App): [keyof typeof coreTypes, KubeObject][] {
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

describe('the watch', () => {
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
  const quiet = () => sleep(700) // more than two debounce windows

  before(async function () {
    this.timeout(20_000)
    for (let index = 0; index < 2000; index += 1) add(readyApp(index))
    await start()
  })
  beforeEach(() => {
    sent.length = 0
  })
  after(async () => {
    watch.stop()
    queue.stop()
    await caches.stop()
  })

  it('sends no hint when it restarts over 2,000 ready services', async function () {
    this.timeout(20_000)
    watch.stop()
    await caches.stop()
    await start()
    await quiet()
    expect(sent).to.deep.equal([])
  })

  it('sends at most two hints for a burst of 100 edits', async () => {
    const app = readyApp(1)
    for (let index = 0; index < 100; index += 1) put({ ...app, spec: { ...app.spec, replicas: 2 + index } })
    await quiet()
    expect(sent.length).to.be.within(1, 2)
    put(app)
  })

  it('sends nothing for an edited draft, whose generation moves', async () => {
    const draft = readyApp(5000)
    const { status: _status, ...fresh } = draft
    put({
      ...fresh,
      spec: { ...draft.spec, deploy: { ...draft.spec.deploy, enabled: false } },
      metadata: { ...draft.metadata, generation: 7, annotations: { [annotations.pendingChanges]: 'created' } },
    })
    await quiet()
    expect(sent).to.deep.equal([])
  })

  it('sends nothing for a pending edit of a deployed service', async () => {
    const app = readyApp(2)
    put({
      ...app,
      metadata: {
        ...app.metadata,
        annotations: { ...app.metadata.annotations, [annotations.pendingChanges]: 'settings' },
      },
      spec: { ...app.spec, port: 9999 },
    })
    await quiet()
    expect(sent).to.deep.equal([])
  })

  it('sees that copies went away while it was not running', async () => {
    const app = readyApp(3)
    watch.stop()
    queue.stop()
    await caches.stop()
    const [, deployment] = childrenOf(app)[0] ?? []
    if (deployment !== undefined) cluster.remove(coreTypes.deployment, deployment)
    await start()
    await quiet()
    expect(sent).to.deep.equal(['app/app-3 copies: the deployment of this service is missing'])
  })

  it('sees that a Service was deleted by hand', async () => {
    const child = childrenOf(readyApp(4)).find(([type]) => type === 'service')?.[1]
    if (child !== undefined) cluster.remove(coreTypes.service, child)
    await quiet()
    expect(sent).to.deep.equal(['app/app-4 missing: Service'])
    put({ ...readyApp(4), metadata: { ...readyApp(4).metadata, labels: { touched: 'yes' } } })
    await quiet()
    expect(sent, 'told once').to.have.length(1)
    expect(watch.missingOf('app-4'), 'and still due').to.equal('missing: Service')
  })

  it('gives a wake to the pass that waits for it in this process, and sends none', async () => {
    const child = childrenOf(readyApp(9)).find(([type]) => type === 'service')?.[1]
    localWakes.expect('app-9')
    const wait = localWakes.wait('app-9', 20_000)
    if (child !== undefined) cluster.remove(coreTypes.service, child)
    expect(await wait).to.equal(true)
    await quiet()
    expect(sent).to.deep.equal([])
  })

  describe('while copies of a new attempt are ready', () => {
    /** As the pass that accepted it left it. */
    const running = (app: App): App => ({
      ...app,
      status: {
        ...app.status,
        lastAttempt: { id: app.status?.release ?? '', phase: 'Running' },
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason: 'Progressing',
            message: '',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      },
    })
    const wake = (index: number) => `app/app-${index} copies: 1 of 1 copies ready`

    it('leaves them to the worker that accepted it, for a moment', async function () {
      this.timeout(10_000)
      put(running(readyApp(10)))
      await quiet()
      expect(sent).to.deep.equal([])
      await eventually('the wake', () => Promise.resolve(sent.includes(wake(10))))
      put(readyApp(10))
    })

    it('wakes at once for an attempt that this worker accepted and does not wait for', async () => {
      localWakes.expect('app-11')
      localWakes.release('app-11')
      put(running(readyApp(11)))
      await quiet()
      expect(sent).to.deep.equal([wake(11)])
      put(readyApp(11))
    })
  })

  it('sees that a Service that was made again was deleted once more within one window', async () => {
    const child = childrenOf(readyApp(8)).find(([type]) => type === 'service')?.[1]
    if (child === undefined) throw new Error('a service without a Service')
    cluster.remove(coreTypes.service, child)
    await eventually('the first loss wakes it', () => sent.length === 1)
    cluster.put(coreTypes.service, child)
    await sleep(20)
    cluster.remove(coreTypes.service, child)
    await quiet()
    expect(sent).to.deep.equal(['app/app-8 missing: Service', 'app/app-8 missing: Service'])
    cluster.put(coreTypes.service, child)
    await quiet()
  })

  it('sees that a service fell asleep while its caches do not know the objects of the add-on yet', async () => {
    for (const type of Object.values(sleepTypes))
      cluster.put(coreTypes.customResourceDefinition, {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: definitionOf(type) },
      })
    const plain = readyApp(9)
    const spec: App['spec'] = {
      ...plain.spec,
      ingress: { ...plain.spec.ingress, host: 'nine.example.com' },
      scaleToZero: { ...plain.spec.scaleToZero, enabled: true },
    }
    const annotated = { ...plain.metadata.annotations, [annotations.lastDeployed]: JSON.stringify(spec) }
    const app = { ...plain, spec, metadata: { ...plain.metadata, annotations: annotated } }
    const { intent } = viewOf(app)
    const claimed = { hosts: ['nine.example.com'], url: 'http://nine.example.com', scaleToZero: { active: true } }
    put({ ...app, status: { ...app.status, ...claimed, observedIntent: intent, acceptedIntent: intent } })
    await quiet()
    expect(sent).to.have.length(1)
    expect(sent[0]).to.contain('missing: ').and.to.contain('InterceptorRoute, ScaledObject')
    const [, up] = childrenOf(app)[0] ?? []
    if (up === undefined) throw new Error('a service has a deployment')
    const asleep = { spec: { replicas: 0 }, status: { observedGeneration: 1 } }
    cluster.put(coreTypes.deployment, { ...up, ...asleep })
    await quiet()
    expect(sent, 'woken once more').to.have.length(2)
  })

  it('leaves a failed service alone until somebody retries', async () => {
    const app = readyApp(6)
    const status = {
      ...app.status,
      lastAttempt: { id: app.status?.release ?? '', phase: 'Failed' as const },
      conditions: [
        {
          type: 'Ready',
          status: 'False' as const,
          reason: 'ProvisionFailed',
          message: 'no',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    }
    const [, deployment] = childrenOf(app)[0] ?? []
    if (deployment !== undefined) cluster.remove(coreTypes.deployment, deployment)
    put({ ...app, status })
    await quiet()
    sent.length = 0
    put({ ...app, status, metadata: { ...app.metadata, labels: { touched: 'yes' } } })
    await quiet()
    expect(sent).to.deep.equal([])
    put({
      ...app,
      status,
      metadata: { ...app.metadata, annotations: { ...app.metadata.annotations, [annotations.retry]: 'again' } },
    })
    await sleep(2_500) // the watch waits a moment for the api's own wake
    expect(sent).to.deep.equal(['app/app-6 the record asks for something new'])
  })

  it('tells at once that the copies of a going attempt are up, and nothing while they merely start', async () => {
    const app = readyApp(7)
    const { observedIntent: _observed, ...status } = app.status ?? {}
    const conditions = [
      {
        type: 'Ready',
        status: 'False' as const,
        reason: 'Progressing',
        message: 'rolling out',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ]
    const going: App = {
      ...app,
      status: { ...status, lastAttempt: { id: app.status?.release ?? '', phase: 'Running' }, conditions },
    }
    const [, up] = childrenOf(app)[0] ?? []
    if (up === undefined) throw new Error('a service has a deployment')
    const starting = (replicas: number) =>
      cluster.put(coreTypes.deployment, {
        ...up,
        status: { observedGeneration: 1, replicas, updatedReplicas: 1 },
      } as KubeObject)
    starting(2)
    put(going)
    await quiet()
    sent.length = 0
    starting(1)
    await quiet()
    expect(sent).to.deep.equal([])
    cluster.put(coreTypes.deployment, up)
    await eventually('the copies are told', () => sent.length > 0)
    await quiet()
    expect(sent).to.deep.equal(['app/app-7 copies: 1 of 1 copies ready'])
  })

  it('delivers a hint again until Temporal takes it', async () => {
    let refusals = 2
    const taken: string[] = []
    const patient = new WakeQueue(async (_kind, name) => {
      await Promise.resolve()
      refusals -= 1
      if (refusals >= 0) throw new Error('away')
      taken.push(name)
    }, silentLog)
    patient.add('app', 'x', { reason: 'test' })
    await sleep(1_000)
    patient.stop()
    expect(taken).to.deep.equal(['x'])
  })

  it("owns by label, so a stranger's pod wakes nobody", async () => {
    cluster.put(coreTypes.pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'stranger', namespace, labels: { [labels.managedBy]: 'svc' } },
    })
    await quiet()
    expect(sent).to.deep.equal([])
  })
})
