/** The volume of a service on a real cluster: it outlasts everything but the deletion of the service. */
import { expect } from 'chai'
import type { CoreV1Event, V1Deployment, V1PersistentVolumeClaim, V1StorageClass } from '@kubernetes/client-node'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { withSpec } from '../../kinds/apps/spec/draft.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { appState } from '../../kinds/apps/state.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { eventually } from '../cluster/eventually.ts'
import { createApp, deploy, type TestRecords, until, untilGone, untilState } from '../harness/records.ts'
import { attemptIn, edit, openWorld } from './service-world.ts'

const waitMs = 25_000
const volume = { path: '/data', size: '10Gi' }

describe('the volume of a service', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project

  before(async () => {
    ;({ records, project } = await openWorld())
  })
  after(async () => {
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
  })

  const claimRef = (app: App) => ({
    type: coreTypes.persistentVolumeClaim,
    namespace: targetNamespace(app.spec),
    name: `${app.metadata.name}-volume`,
  })
  const claimOf = (app: App) => records.client.get<Sent<V1PersistentVolumeClaim>>(claimRef(app))
  const sizeOf = async (app: App) => (await claimOf(app))?.spec?.resources?.requests?.['storage']
  const setOf = (app: App) =>
    records.client.get<Sent<V1Deployment>>({
      type: coreTypes.deployment,
      namespace: targetNamespace(app.spec),
      name: app.metadata.name,
    })
  const deployed = async (app: App) => untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
  const started = async (spec: Partial<AppSpec> = {}) =>
    deployed(await createApp(records, project, { volume, ...spec }))
  /** Saves settings, as the api does; what waits for a deploy waits. */
  const save = (app: App, change: (spec: AppSpec) => AppSpec) =>
    records.apps.edit(app.metadata.name, (current) => withSpec(current, change(current.spec)))
  const sized = (app: App, size: string) => save(app, (spec) => ({ ...spec, volume: { ...volume, size } }))
  const withoutVolume = ({ volume: _, ...spec }: AppSpec): AppSpec => spec
  const eventsOf = async (app: App, reason = 'VolumeLost') =>
    (await records.client.list<Sent<CoreV1Event>>(coreTypes.event, { namespace: systemNamespace })).items.filter(
      (event) => event.involvedObject.uid === app.metadata.uid && event.reason === reason,
    )

  it('is the same through deploys, and its copies follow each other', async () => {
    const app = await started()
    const claim = await claimOf(app)
    expect(claim?.spec).to.deep.include({ accessModes: ['ReadWriteOnce'] })
    expect(app.status?.volume).to.deep.equal({ claim: claim?.metadata.name, uid: claim?.metadata.uid })
    expect((await setOf(app))?.spec?.strategy).to.deep.equal({ type: 'Recreate' })
    await save(app, (spec) => ({ ...spec, source: { image: { image: 'svc/hello:2' } } }))
    const again = await deployed(app)
    expect((await claimOf(app))?.metadata.uid).to.equal(claim?.metadata.uid)
    expect(again.status?.volume?.uid).to.equal(claim?.metadata.uid)
  })

  it('is given to a service that runs several copies, and taken away again with the data kept', async () => {
    const app = await deployed(await createApp(records, project, { replicas: 2 }))
    await save(app, (spec) => ({ ...spec, replicas: 1, volume }))
    const kept = (await deployed(app)).status?.volume
    await save(app, (spec) => ({ ...withoutVolume(spec), replicas: 2 }))
    expect(viewOf((await records.apps.readLive(app.metadata.name)) ?? app).effectiveSpec?.replicas).to.equal(1)
    const without = await deployed(app)
    const set = await setOf(app)
    expect(set?.spec?.template.spec).not.to.have.any.keys('volumes')
    expect(set?.spec?.template.spec?.securityContext).not.to.have.property('fsGroup')
    expect(set?.spec).to.include({ replicas: 2 })
    expect(set?.spec?.strategy).to.deep.equal({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 },
    })
    expect(without.status?.volume).to.deep.equal(kept)
    await save(app, (spec) => ({ ...spec, replicas: 1, volume: { ...volume, size: '1Gi' } }))
    expect((await deployed(app)).status?.volume, 'the same, with its data').to.deep.equal(kept)
    expect(await sizeOf(app), 'it never shrinks').to.equal('10Gi')
  })

  it('grows where its class can, and says so where it cannot, while what ran goes on', async () => {
    const { client } = records
    const app = await started({ deploy: { enabled: false, rollbackOnFailure: false } })
    await sized(app, '20Gi')
    const failed = await untilState(records, app, 'failed', attemptIn(await deploy(records, app)))
    expect(appState(failed).message).to.equal('this cluster cannot enlarge volumes; the volume keeps its 10Gi')
    expect((await setOf(app))?.status?.readyReplicas).to.equal(1)
    const { items } = await client.list<Sent<V1StorageClass>>(coreTypes.storageClass)
    const storage = { type: coreTypes.storageClass, name: items[0]?.metadata.name ?? '' }
    await client.patch(storage, { allowVolumeExpansion: true })
    try {
      await deployed(app)
      expect(await sizeOf(app)).to.equal('20Gi')
    } finally {
      await client.patch(storage, { allowVolumeExpansion: null })
    }
  })

  it('stays when a failed deploy is rolled back to a release without it', async () => {
    const app = await deployed(
      await createApp(records, project, { deploy: { enabled: false, rollbackOnFailure: true } }),
    )
    await save(app, (spec) => ({ ...spec, source: { image: { image: 'svc/crash:1' } }, volume }))
    const failing = attemptIn(await deploy(records, app))
    const back = (record: App | undefined) =>
      record !== undefined && attemptIn(record) !== failing && appState(record).state === 'ready'
    const rolledBack = await until(records.apps, app, back, 'rolled back')
    expect(rolledBack.status?.volume?.claim).to.equal(`${app.metadata.name}-volume`)
    expect(await sizeOf(app)).to.equal('10Gi')
    expect((await setOf(app))?.spec?.template.spec).not.to.have.any.keys('volumes')
  })

  it('is made again when another writer deletes its claim, which is reported once', async () => {
    const app = await started()
    const lost = app.status?.volume?.uid
    await records.client.delete(claimRef(app))
    // The cluster keeps a claim until no copy has it.
    await records.client.patch(claimRef(app), { metadata: { finalizers: null } }).catch(() => undefined)
    const found = await until(
      records.apps,
      app,
      (record) =>
        record !== undefined &&
        appState(record).state === 'ready' &&
        ![undefined, lost].includes(record.status?.volume?.uid),
      'ready with another volume',
    )
    expect((await claimOf(app))?.metadata.uid).to.equal(found.status?.volume?.uid)
    const events = await eventsOf(app)
    expect(events.map(({ message }) => message)).to.deep.equal([
      `the claim ${app.metadata.name}-volume was deleted, and the data of its volume with it; an empty one takes its place`,
    ])
    await deployed(app)
    expect(await eventsOf(app)).to.have.length(1)
  })

  it('of a name that is taken is left alone', async () => {
    const app = await createApp(records, project, { volume })
    await records.client.create(coreTypes.persistentVolumeClaim, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: claimRef(app).name, namespace: claimRef(app).namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    })
    await deploy(records, app)
    const says = (record: App | undefined) =>
      record?.status?.conditions?.[0]?.message.includes('belongs to another owner')
    await until(records.apps, app, (record) => says(record) === true, 'refused')
    expect(await sizeOf(app)).to.equal('1Gi')
    expect(await setOf(app)).to.equal(undefined)
  })

  it('stays when the deploy is taken back, and goes with the service', async () => {
    const app = await started()
    const uid = app.status?.volume?.uid
    await edit(records, app, (spec) => ({ deploy: { ...spec.deploy, enabled: false } }))
    await untilState(records, app, 'draft')
    await eventually('nothing runs', async () => (await setOf(app)) === undefined, waitMs)
    expect((await claimOf(app))?.metadata.uid).to.equal(uid)
    expect((await deployed(app)).status?.volume?.uid, 'the same once it is deployed again').to.equal(uid)
    await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
    await untilGone(records, app)
    await eventually('its volume is gone', async () => (await claimOf(app)) === undefined, waitMs)
    expect((await eventsOf(app, 'Removing')).map(({ message }) => message)).to.deep.equal([
      `removes PersistentVolumeClaim ${app.metadata.name}-volume, and the data with it`,
    ])
  })

  it('is gone before the service is, whatever holds it', async () => {
    const app = await started()
    const { finalizers = [] } = (await claimOf(app))?.metadata ?? {}
    await records.client.patch(claimRef(app), { metadata: { finalizers: [...finalizers, 'svc.dev/held-by-a-test'] } })
    await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
    const says = (record: App | undefined) => record?.status?.conditions?.[0]?.message
    await until(records.apps, app, (record) => says(record) === 'waiting for the volume to go', 'waiting')
    await records.client.patch(claimRef(app), { metadata: { finalizers: null } })
    await untilGone(records, app)
    expect(await claimOf(app)).to.equal(undefined)
  })
})
