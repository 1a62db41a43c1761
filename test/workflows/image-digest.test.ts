/** Copies run the image that the tag meant at their deploy: a moved tag changes nothing before the next deploy. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { acceptRollback } from '../../records/apps/accept-rollback.ts'
import { editSpec } from '../../records/apps/edit-app.ts'
import { imageThatRan } from '../../records/deployments/read-attempt-log.ts'
import {
  createApp,
  createProject,
  deploy,
  type TestRecords,
  until,
  untilState,
  useRecords,
} from '../harness/records.ts'
import { type LoginKind, registryLogin, startRegistry, type TestRegistry } from '../harness/registry.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { attemptIn, liveDeployment, stepsOf, untilSetUp } from './service-world.ts'

describe('the digest of a release', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project
  let worker: TestWorker
  const registries: TestRegistry[] = []

  before(async () => {
    records = await useRecords()
    await withoutWorker()
    worker = await startTestWorker({}, 'temporal/main.ts', {
      SVC_IMAGE_DIGESTS: 'on',
      SVC_REGISTRY_PRIVATE: '127.0.0.1',
    })
    project = await createProject(records)
    await untilSetUp(records, project)
  })
  after(async () => {
    await worker.stop('SIGKILL')
    await Promise.all(registries.map((registry) => registry.stop()))
  })

  const open = async (kind: LoginKind = 'open') => {
    const registry = await startRegistry(kind)
    registries.push(registry)
    return registry
  }
  const runs = async (app: App) => (await liveDeployment(records, app))?.spec.template.spec.containers[0]?.image
  const deployed = async (app: App) => {
    const attempt = attemptIn(await deploy(records, app))
    await untilState(records, app, 'ready', attempt)
    return attempt
  }

  it('is frozen at the deploy, survives a moved tag and a live setting, and comes back with a rollback', async () => {
    const registry = await open()
    const first = await registry.push('team/web', '1', 'first')
    const image = `${registry.address}/team/web:1`
    const app = await createApp(records, project, { image })
    const attempt = await deployed(app)
    expect(await runs(app)).to.equal(`${image}@${first}`)
    expect(await stepsOf(records, attempt)).to.include(`image ${image} is ${first}`)
    const active = await records.deployments.readLive(`${app.metadata.name}-active`)
    expect(active?.spec).to.include({ image: `${image}@${first}`, imageDigest: first })
    const record = await records.deployments.readLive(attempt)
    expect([record?.spec.image, record?.spec.imageDigest]).to.deep.equal([image, undefined])

    const second = await registry.push('team/web', '1', 'second')
    await editSpec(records, app.metadata.name, ({ spec }) => ({ ...spec, replicas: 2 }))
    await until(records.apps, app, (seen) => seen?.status?.replicas?.available === 2, 'two copies')
    expect(await runs(app)).to.equal(`${image}@${first}`)

    await deployed(app)
    expect(await runs(app)).to.equal(`${image}@${second}`)
    const current = (await records.apps.readLive(app.metadata.name)) ?? app
    const ranImage = await imageThatRan(records.client, current, attempt)
    expect(ranImage).to.equal(`${image}@${first}`)
    const rolledBack = await acceptRollback(records, current, {
      actor: 'tester',
      requestId: 'test',
      revision: attempt,
      ranImage,
    })
    const ready = await untilState(records, app, 'ready', attemptIn(rolledBack))
    expect(await runs(app)).to.equal(`${image}@${first}`)
    expect(ready.spec.source.image?.image).to.equal(image)
  })

  it('is asked for with the pull secret', async () => {
    const registry = await open('basic')
    const digest = await registry.push('private/web', '1', 'private')
    const image = `${registry.address}/private/web:1`
    const config = { auths: { [registry.address]: registryLogin } }
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'pull', namespace: `${project.metadata.name}-production` },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from(JSON.stringify(config)).toString('base64') },
    }
    await records.client.create<KubeObject>(coreTypes.secret, secret)
    const app = await createApp(records, project, { source: { image: { image, pullSecret: 'pull' } } })
    expect(targetNamespace(app.spec)).to.equal(secret.metadata.namespace)
    await deployed(app)
    expect(await runs(app)).to.equal(`${image}@${digest}`)
    const status = JSON.stringify((await records.apps.readLive(app.metadata.name))?.status)
    expect(status).to.include(digest).and.not.to.include(registryLogin.password)
  })

  it('is not waited for when the registry is away: the tag is taken, and the log says so', async () => {
    const registry = await open()
    await registry.push('team/web', '1', 'first')
    await registry.stop()
    const image = `${registry.address}/team/web:1`
    const app = await createApp(records, project, { image })
    const attempt = await deployed(app)
    expect(await runs(app)).to.equal(image)
    expect(await stepsOf(records, attempt)).to.include(
      `image ${image} is taken by its tag: the registry ${registry.address} does not answer, or is where`,
    )
  })

  it('is not asked for when the reference has one', async () => {
    const image = `127.0.0.1:1/team/web@sha256:${'a'.repeat(64)}`
    const app = await createApp(records, project, { image })
    const attempt = await deployed(app)
    expect(await runs(app)).to.equal(image)
    expect(await stepsOf(records, attempt)).to.not.include('image ')
  })
})
