/**
 * A pass of a worker that was cut off writes what it decided after another pass has ended: the cluster takes the write,
 * since the newer pass left that object as it was, and svc takes it back.
 */
import { expect } from 'chai'
import type { V1HorizontalPodAutoscaler, V1Ingress } from '@kubernetes/client-node'
import { applyChild, type ChildManifest } from '../../activities/kube/apply-child.ts'
import type { ActivityNeeds } from '../../activities/context/needs.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/place.ts'
import { workload } from '../../kinds/apps/manifests.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { eventually } from '../cluster/eventually.ts'
import { createApp, deploy, type TestRecords, untilState } from '../harness/records.ts'
import { attemptIn, edit, liveDeployment, openWorld } from './service-world.ts'

const waitMs = 20_000

describe('what a pass that was cut off applied of a service at rest', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project

  before(async () => {
    ;({ records, project } = await openWorld())
  })
  after(() => records.projects.remove(project.metadata.name, project.metadata.uid ?? ''))

  const deployed = async (spec: Partial<App['spec']> = {}): Promise<App> => {
    const app = await createApp(records, project, spec)
    return untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
  }
  const live = <T>(app: App, type: ResourceType) =>
    records.client.get<Sent<T>>({ type, namespace: targetNamespace(app.spec), name: app.metadata.name })

  /** The pass has read the object, and is held before its write; what is returned lets it go on. */
  async function heldBefore(app: App, kind: string, change: Partial<App['spec']>): Promise<() => Promise<unknown>> {
    const placing = {
      name: app.metadata.name,
      uid: app.metadata.uid ?? '',
      release: attemptIn(app),
      hasSecrets: false,
      secretName: '',
      ingressClass: 'traefik',
      clusterIssuer: 'issuer',
      steadySeconds: 0,
      nodes: { region: '', tags: [] },
      confinement: 'baseline' as const,
      scratchLimit: '10Gi',
      runner: '',
      askedEarly: true,
    }
    const manifest = workload({ ...app.spec, ...change }, placing).find((made) => made.kind === kind)
    if (manifest === undefined) throw new Error(`no ${kind} is made of it`)
    const client = Object.create(records.client) as ClusterClient
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const { promise: free, resolve: release } = Promise.withResolvers<void>()
    client.apply = async (...asked) => {
      reach()
      await free
      return records.client.apply(...asked)
    }
    const needs = { client, children: { [cacheOf(kind)]: { put: () => undefined } } } as unknown as ActivityNeeds
    const written = applyChild(needs, manifest as ChildManifest, placing.uid, { trustsCache: false })
    await reached
    return () => {
      release()
      return written
    }
  }

  it('is removed where it is a host that was taken back meanwhile', async () => {
    const app = await deployed()
    const writeLate = await heldBefore(app, 'Ingress', { ingress: { ...app.spec.ingress, host: 'late.example.com' } })
    await edit(records, app, () => ({ replicas: 2 }))
    await untilState(records, app, 'ready')
    await writeLate()
    await eventually('the Ingress is gone', async () => (await live(app, coreTypes.ingress)) === undefined, waitMs)
    await untilState(records, app, 'ready')
  })

  it('is set right where it is an earlier host', async () => {
    const at = (host: string) => ({ ingress: { ...app.spec.ingress, host } })
    let app = await deployed()
    const writeLate = await heldBefore(app, 'Ingress', at('earlier.example.com'))
    await edit(records, app, () => at('newer.example.com'))
    app = await untilState(records, app, 'ready')
    await writeLate()
    const hostsOf = async () => (await live<V1Ingress>(app, coreTypes.ingress))?.spec?.rules?.map(({ host }) => host)
    expect(await hostsOf()).to.have.lengthOf(1)
    await eventually('it has its host', async () => (await hostsOf())?.[0] === 'newer.example.com', waitMs)
  })

  it('is set right where it is a number of copies that was taken back meanwhile', async () => {
    const app = await deployed()
    const writeLate = await heldBefore(app, 'Deployment', { replicas: 3 })
    await writeLate()
    await eventually('one copy', async () => (await liveDeployment(records, app))?.spec?.replicas === 1, waitMs)
    await untilState(records, app, 'ready')
  })

  it('is set right where it is an autoscaler of other bounds, and let alone where another writer set them', async () => {
    const between = (maxReplicas: number) => ({
      autoscaling: { minReplicas: 1, maxReplicas, targetCPUUtilization: 80 },
    })
    const app = await deployed(between(3))
    const most = async () =>
      (await live<V1HorizontalPodAutoscaler>(app, coreTypes.horizontalPodAutoscaler))?.spec?.maxReplicas
    const writeLate = await heldBefore(app, 'HorizontalPodAutoscaler', between(7))
    await writeLate()
    await eventually('three at most', async () => (await most()) === 3, waitMs)
    await untilState(records, app, 'ready')
    const ref = {
      type: coreTypes.horizontalPodAutoscaler,
      namespace: targetNamespace(app.spec),
      name: app.metadata.name,
    }
    await records.client.patch(ref, { spec: { maxReplicas: 5 } })
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    expect(await most()).to.equal(5)
  })
})

const cacheOf = (kind: string): string => ({ Ingress: 'ingresses', HorizontalPodAutoscaler: 'autoscalers' })[kind] ?? ''
