/** The watch wakes a service whose attempt goes on or failed, or that fell asleep, exactly when there is work. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { definitionOf, sleepTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { childrenOf, readyApp, useWatch } from './watch-world.ts'

describe('the watch of attempts', () => {
  const { sent, cluster, put, localWakes, quiet } = useWatch(12)

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
      localWakes().expect('app-11')
      localWakes().release('app-11')
      put(running(readyApp(11)))
      await quiet()
      expect(sent).to.deep.equal([wake(11)])
      put(readyApp(11))
    })
  })

  it('opens four deploys of a project at once; one that a newer deploy replaces leaves its place', async () => {
    /** A deploy by kubectl, which no api wakes. */
    const asked = (index: number, round: string): App => {
      const app = readyApp(index)
      const record = `app-${index}-${round}`
      const attempt = { ...viewOf(app).attempt, record, operation: 'kubectl' }
      const noted = { ...app.metadata.annotations, [annotations.attempt]: JSON.stringify(attempt) }
      return { ...app, metadata: { ...app.metadata, annotations: noted } }
    }
    const wake = (index: number) => `app/app-${index} the record asks for something new`
    for (const index of [0, 1, 2, 3, 4, 5]) put(asked(index, 'one'))
    await quiet()
    expect(sent).to.deep.equal([0, 1, 2, 3].map(wake))
    put(asked(1, 'two'))
    await quiet()
    expect(sent.slice(4)).to.deep.equal([wake(4)])
    for (const index of [5, 1, 0, 2, 3, 4]) put(readyApp(index))
    await quiet()
    expect(sent, 'nothing is opened that is asked for no longer').to.have.length(5)
  })

  it('sees that a service was scaled to zero while its caches do not know the objects of the add-on yet', async () => {
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

  it('leaves a failed service alone until a retry', async () => {
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

  it('sends a wake at once when the copies of an open attempt are ready, and none while they start', async () => {
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
    await eventually('the copies are written', () => sent.length > 0)
    await quiet()
    expect(sent).to.deep.equal(['app/app-7 copies: 1 of 1 copies ready'])
  })
})
