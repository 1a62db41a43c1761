/**
 * A pass of a worker that was cut off writes what it decided after another pass has ended: the cluster takes the write,
 * since the newer pass left that object as it was, and svc takes it back.
 */
import { expect } from 'chai'
import type { V1HorizontalPodAutoscaler, V1Ingress } from '@kubernetes/client-node'
import { applyChild, type ChildManifest } from '../../activities/kube/apply-child.ts'
import type { ActivityNeeds } from '../../activities/context/needs.ts'
import type { LiveJob } from '../../activities/kube/jobs.ts'
import { createLogicalDatabaseActivities } from '../../activities/logical-databases/activities.ts'
import { keepLogin } from '../../activities/logical-databases/keep-login.ts'
import { dropDatabase } from '../../activities/logical-databases/remove.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { workload } from '../../kinds/apps/manifests/service.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { createJobName, dropJobName, loginSecretName } from '../../kinds/logical-databases/names.ts'
import { logicalDatabaseRules } from '../../kinds/logical-databases/rules.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { provisionPlan } from '../../kinds/provision/plan.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { eventually } from '../cluster/eventually.ts'
import { createApp, deploy, type TestRecords, untilState } from '../harness/records.ts'
import {
  openServedWorld,
  remove,
  type ServedWorld,
  setReady,
  untilGone,
  untilReady,
  untilSaid,
} from './logical-world.ts'
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
    const { client, reached, release } = heldClient(records.client, placing.name)
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

describe('a pass over a logical database that was cut off while another worker removed it', function () {
  this.timeout(120_000)
  let world: ServedWorld

  before(async () => {
    world = await openServedWorld()
  })
  after(() => world.close())

  const needsWith = (client: ClusterClient) =>
    // all that these passes use
    ({ ...world.records, client, dropMs: 60_000, log: silentLog }) as unknown as ActivityNeeds
  const removed = async (record: LogicalDatabase) => {
    await remove(world, record)
    await untilGone(world, record)
  }
  const dropOf = ({ status }: LogicalDatabase) =>
    world.records.client.get<LiveJob>({
      type: coreTypes.job,
      namespace: systemNamespace,
      name: dropJobName(status?.username ?? ''),
    })
  const ownedBy = async ({ metadata: { uid } }: LogicalDatabase) => {
    const labelSelector = `${labels.owner}=${uid}`
    const lists = await Promise.all(
      [coreTypes.secret, coreTypes.job].map((type) => world.records.client.list(type, { labelSelector })),
    )
    return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name))
  }

  it('drops nothing that a new record of its name has', async () => {
    const first = await untilReady(world, await world.onShared('kept'))
    const { client, reached, release } = heldClient(world.records.client, dropJobName(first.status?.username ?? ''))
    const late = dropDatabase(needsWith(client))(first)
    await reached
    await removed(first)
    const next = await untilReady(world, await world.onShared('kept'))
    release()
    await late
    expect((await dropOf(next))?.spec?.suspend ?? true, 'it never runs').to.equal(true)
    await eventually('no Job is left', async () => (await dropOf(next)) === undefined)
    await removed(next)
  })

  it('leaves a Job that never drops where it dies at that moment, and the next pass of the new record removes it', async () => {
    const first = await untilReady(world, await world.onShared('kept'))
    await removed(first)
    const next = await untilReady(world, await world.onShared('kept'))
    const needs = needsWith(world.records.client)
    const dies = { readLive: () => Promise.reject(new Error('it dies here')) }
    const dying = { ...needs, logicalDatabases: dies } as unknown as ActivityNeeds // as above
    const died = await dropDatabase(dying)(first).catch(String)
    expect(died).to.equal('Error: it dies here')
    expect((await dropOf(next))?.spec?.suspend).to.equal(true)
    expect(await keepLogin(needs)(next)).to.have.property('outcome', 'waiting')
    await eventually('the Job is gone', async () => (await keepLogin(needs)(next)) === undefined)
    await removed(next)
  })

  for (const [what, heldAt, calls] of [
    ['login', loginSecretName, ['keepLogicalDatabaseLogin']],
    ['creation Job', createJobName, ['keepLogicalDatabaseLogin', 'runLogicalDatabaseCreation']],
    ['connection', connectionSecretName, ['keepLogicalDatabaseLogin', 'keepLogicalDatabaseConnection']],
  ] as const)
    it(`leaves nothing where it makes the ${what} after that`, async () => {
      const { records, shared } = world
      await setReady(records, shared, false) // the worker waits for it, so that this pass is the first
      const record = await world.onShared()
      const { name } = record.metadata
      await untilSaid(world, record, 'ReconcileError', `server ${shared.metadata.name} is not ready`)
      const { client, reached, release } = heldClient(records.client, heldAt(name))
      const steps = createLogicalDatabaseActivities(needsWith(client))
      const call = async (step: (typeof calls)[number]) => {
        const { uid, intent } = provisionPlan(logicalDatabaseRules, name, await records.logicalDatabases.readLive(name))
        return steps[step]({ name, uid, intent })
      }
      for (const step of calls.slice(0, -1)) await call(step)
      const late = call(calls.at(-1) ?? calls[0]).catch(String) // its status write finds no record
      await reached
      await removed(record)
      const isNothingLeft = async () => (await ownedBy(record)).length === 0
      await eventually('its last Job is gone', isNothingLeft)
      release()
      await late
      await eventually('nothing is left', isNothingLeft)
      await setReady(records, shared, true)
    })
})

/** Holds the first write of an object of this name, once it is `reached`, until `release` is called. */
function heldClient(of: ClusterClient, name: string) {
  const client = Object.create(of) as ClusterClient
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { promise: free, resolve: release } = Promise.withResolvers<void>()
  const held = async (object: object) => {
    const { metadata } = object as { metadata?: { name?: string } } // a manifest
    if (metadata?.name !== name) return
    reach()
    await free
  }
  client.apply = async (...asked) => {
    await held(asked[1])
    return of.apply(...asked)
  }
  client.create = async (...asked) => {
    await held(asked[1])
    return of.create(...asked)
  }
  return { client, reached, release }
}

const cacheOf = (kind: string): string => ({ Ingress: 'ingresses', HorizontalPodAutoscaler: 'autoscalers' })[kind] ?? ''
