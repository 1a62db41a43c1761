/**
 * Failures of a service on real servers: each ends in the right state with a message to act on, and recovers when the
 * cause is gone.
 */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { appState } from '../../kinds/apps/state.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { type TestRecords, createApp, createProject, deploy, until, untilState } from '../harness/records.ts'
import { attemptIn, edit, liveDeployment, openWorld, stepsOf, untilSetUp } from './service-world.ts'

describe('trouble with a service', function () {
  this.timeout(60_000)
  let records: TestRecords
  let project: Project

  before(async () => {
    ;({ records, project } = await openWorld())
  })

  it('a deploy that waits is superseded by a newer one, which makes it ready', async () => {
    const app = await createApp(records, project, { image: 'does-not-exist:1' })
    const stuck = attemptIn(await deploy(records, app))
    await until(
      records.apps,
      app,
      (record) => appState(record ?? app).message.includes('cannot be pulled'),
      'waiting for the image',
    )
    await edit(records, app, ({ source }) => ({ source: { ...source, image: { image: 'svc/hello:2' } } }))
    const healing = attemptIn(await deploy(records, app))
    await untilState(records, app, 'ready', healing)
    expect(await stepsOf(records, stuck)).to.match(/cannot be pulled[^]*Failed: superseded by/)
    expect((await liveDeployment(records, app))?.spec.template.spec.containers[0]?.image).to.equal('svc/hello:2')
  })

  it('a scale while a deploy goes on is applied without disturbing the attempt', async () => {
    const app = await createApp(records, project, { image: 'does-not-exist:2' })
    const attempt = attemptIn(await deploy(records, app))
    await until(
      records.apps,
      app,
      (record) => appState(record ?? app).message.includes('cannot be pulled'),
      'waiting for the image',
    )
    await edit(records, app, () => ({ replicas: 3 }))
    for (;;) {
      if ((await liveDeployment(records, app))?.spec.replicas === 3) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(attemptIn((await records.apps.readLive(app.metadata.name)) ?? app)).to.equal(attempt)
    const failed = await untilState(records, app, 'failed', attempt)
    expect(failed.status?.lastAttempt?.errors?.join()).to.include('cannot be pulled')
  })

  it('a deployment deleted by hand is made again', async () => {
    const app = await createApp(records, project)
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    const before = await liveDeployment(records, app)
    await records.client.delete(
      { type: coreTypes.deployment, namespace: targetNamespace(app.spec), name: app.metadata.name },
      { propagation: 'Background' },
    )
    for (;;) {
      const now = await liveDeployment(records, app)
      if (now !== undefined && now.metadata.uid !== before?.metadata.uid) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await untilState(records, app, 'ready')
  })

  it('a deployment that another writer deletes again and again ends the attempt at its deadline', async () => {
    const app = await createApp(records, project, { image: 'does-not-exist:3' })
    const attempt = attemptIn(await deploy(records, app))
    const place = { type: coreTypes.deployment, namespace: targetNamespace(app.spec), name: app.metadata.name }
    let deletes = true
    const deleting = (async () => {
      for (; deletes; await new Promise((resolve) => setTimeout(resolve, 20)))
        await records.client.delete(place, { propagation: 'Background' })
    })()
    const failed = await untilState(records, app, 'failed', attempt).finally(() => (deletes = false))
    await deleting
    expect(failed.status?.lastAttempt?.summary).to.match(/^not ready in time: /)
    expect(await stepsOf(records, attempt)).to.match(/Failed: not ready in time: /)
  })

  it('copies that die later make the service pending, and it becomes ready by itself', async () => {
    const app = await createApp(records, project)
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    const pods = await records.client.list<KubeObject>(coreTypes.pod, {
      namespace: targetNamespace(app.spec),
      labelSelector: `svc.dev/owner=${app.metadata.uid ?? ''}`,
    })
    const pod = pods.items[0]
    const unready = {
      status: {
        conditions: [
          { type: 'Ready', status: 'False' },
          { type: 'ContainersReady', status: 'False' },
        ],
      },
    }
    // The simulated kubelet may overwrite the status once more, so the test repeats the write until the worker has seen
    // it.
    const repeating = setInterval(() => {
      void records.client
        .patch({ type: coreTypes.pod, namespace: targetNamespace(app.spec), name: pod?.metadata.name ?? '' }, unready, {
          subresource: 'status',
        })
        .catch(() => undefined)
    }, 300)
    await untilState(records, app, 'pending').finally(() => clearInterval(repeating))
    await records.client.delete({
      type: coreTypes.pod,
      namespace: targetNamespace(app.spec),
      name: pod?.metadata.name ?? '',
    })
    await untilState(records, app, 'ready')
  })

  it('a crash loop ends the attempt as failed with the exit code, and a corrected deploy succeeds', async () => {
    const app = await createApp(records, project, { image: 'svc/hello:crash' })
    const failed = await untilState(records, app, 'failed', attemptIn(await deploy(records, app)))
    expect(failed.status?.lastAttempt?.summary).to.match(/keeps exiting \(Error, exit code 1\)/)
    await edit(records, app, () => ({ source: { image: { image: 'svc/hello:1' } } }))
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
  })

  it('a service whose objects another record owns is refused in words and never touched', async () => {
    const app = await createApp(records, project)
    const foreign = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: app.metadata.name, namespace: targetNamespace(app.spec) },
      spec: { ports: [{ port: 1234 }] },
    }
    await records.client.create(coreTypes.service, foreign)
    const failed = await untilState(records, app, 'failed', attemptIn(await deploy(records, app)))
    expect(failed.status?.lastAttempt?.summary).to.include('belongs to another owner')
    const kept = await records.client.get<typeof foreign & KubeObject>({
      type: coreTypes.service,
      namespace: targetNamespace(app.spec),
      name: app.metadata.name,
    })
    expect(kept?.spec.ports[0]?.port).to.equal(1234)
  })

  it('no capacity on the nodes is waited for in words, and the deploy succeeds once it fits', async () => {
    const app = await createApp(records, project, { resources: { requests: { cpu: '900', memory: '128Mi' } } })
    await deploy(records, app)
    await until(
      records.apps,
      app,
      (record) => appState(record ?? app).message.startsWith('no node has capacity for a copy'),
      'waiting for capacity',
    )
    await edit(records, app, () => ({ resources: { requests: { cpu: '10m', memory: '16Mi' } } }))
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
  })

  it('a namespace that is being deleted is waited for, and used again once it is free', async () => {
    const own = await createProject(records)
    await untilSetUp(records, own)
    const namespace = { type: coreTypes.namespace, name: `${own.metadata.name}-production` }
    const guard = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'guard', namespace: namespace.name, finalizers: ['test.svc.dev/held'] },
    }
    await records.client.create(coreTypes.configMap, guard)
    await records.client.delete(namespace)
    const app = await createApp(records, own)
    await deploy(records, app)
    await until(
      records.apps,
      app,
      (record) =>
        appState(record ?? app).message ===
        `waiting for namespace ${namespace.name} to be deleted before it can be used again`,
      'waiting for the namespace',
    )
    await records.client.patch(
      { type: coreTypes.configMap, namespace: namespace.name, name: 'guard' },
      { metadata: { finalizers: null } },
    )
    await until(records.apps, app, (record) => record !== undefined && appState(record).state !== 'pending', 'ended')
    await deploy(records, app)
    await untilState(records, app, 'ready')
  })

  it('a host belongs to the older of two services, and to the younger once it is free', async () => {
    const host = `h-${Date.now()}.example.com`
    const ingress = { host, path: '/', tlsEnabled: false, dnsVerification: false, rules: [] }
    const older = await createApp(records, project, { ingress })
    await untilState(records, older, 'ready', attemptIn(await deploy(records, older)))
    await new Promise((resolve) => setTimeout(resolve, 1_100)) // creation times have whole seconds
    const younger = await createApp(records, project, { ingress })
    await deploy(records, younger)
    await until(
      records.apps,
      younger,
      (record) => appState(record ?? younger).message === `host ${host} belongs to another service`,
      'waiting for the host',
    )
    await edit(records, older, () => ({ ingress: { ...ingress, host: '' } }))
    await untilState(records, younger, 'ready')
  })

  it('a service without its project waits, and is deployed when the project comes', async () => {
    const late = `proj-${Math.floor(Math.random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')}`
    const app = await createApp(records, { ...project, metadata: { ...project.metadata, name: late } })
    await deploy(records, app)
    await until(
      records.apps,
      app,
      (record) => appState(record ?? app).message === `project ${late} does not exist`,
      'waiting for the project',
    )
    const { uid: _uid, resourceVersion: _version, ...metadata } = project.metadata
    await records.projects.create({ ...project, metadata: { ...metadata, name: late } })
    await untilState(records, app, 'ready')
  })
})
