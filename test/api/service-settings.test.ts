/** Settings of services: which wait for a deploy, which apply at once, which are refused and with which sentence. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { eventually } from '../cluster/eventually.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { pendingChangesOf } from '../../kinds/provision/draft.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { useStack } from '../harness/stack.ts'
import { useServices } from './services-world.ts'

const oneCopy =
  'a service with a volume runs one copy: replicas and scaleToZeroMax are at most 1, and autoscaling is off'

describe('Settings of a service', () => {
  const { world, post, patch, create, deployed, record } = useServices()

  it('PATCH /apps/{name}: an edit waits for a deploy, and taking it back leaves nothing to deploy', async () => {
    const name = await deployed()
    const edited = await patch(name, { image: 'svc/hello:2', port: 9000 })
    expect(edited.body).to.deep.equal({
      ok: true,
      pending: ['settings'],
      title: 'Changes to deploy',
      detail: 'Changed settings take effect with the next deploy.',
      button: 'Deploy changes',
    })
    expect(viewOf(await record(name)).effectiveSpec?.source.image?.image).to.equal('svc/hello:1')
    expect((await patch(name, { image: 'svc/hello:1', port: 8080 })).body.pending).to.deep.equal([])
    expect((await record(name)).metadata.annotations).not.to.have.property(annotations.pendingChanges)
  })

  it('a draft stays created whatever is edited', async () => {
    const name = await create()
    const { body } = await patch(name, { image: 'svc/hello:3' })
    expect(body).to.deep.include({ pending: ['created'], title: 'Not deployed yet' })
    expect((await record(name)).spec.source.image?.image).to.equal('svc/hello:3')
  })

  it('PATCH with deploy saves and deploys in one write', async () => {
    const name = await deployed()
    const before = (await record(name)).metadata.generation ?? 0
    const { body } = await patch(name, { image: 'svc/hello:2', deploy: true })
    expect(body).to.deep.include({ ok: true, pending: [], deployed: true })
    const app = await record(name)
    expect(app.metadata.generation).to.equal(before + 1)
    expect(viewOf(app).lastDeployed?.source.image?.image).to.equal('svc/hello:2')
    const { body: list } = await world.api.ask('GET', `/api/v1/apps/${name}/deployments`, { token: world.token })
    expect(list.items[0]).to.include({
      image: 'svc/hello:2',
      changeTitle: 'Changed settings',
      phase: 'Recorded',
      actor: 'Dashboard',
      commit: '',
      trigger: '',
    })
    expect(list.items[1]).to.include({ image: 'svc/hello:1', changeTitle: 'First deploy' })
  })

  const live: [string, object, object][] = [
    ['replicas', { replicas: 4 }, { replicas: 4 }],
    [
      'autoscaling',
      { autoscaling: 'on' },
      { autoscaling: { minReplicas: 1, maxReplicas: 3, targetCPUUtilization: 50 } },
    ],
    [
      'autoscaling from three copies',
      { replicas: 3, autoscaling: true, targetCPU: 70 },
      { autoscaling: { minReplicas: 3, maxReplicas: 4, targetCPUUtilization: 70 } },
    ],
    [
      'sleep-when-idle',
      { scaleToZero: 'on', idleSeconds: 60, scaleToZeroMax: 2 },
      { scaleToZero: { enabled: true, idleSeconds: 60, maxReplicas: 2 } },
    ],
    [
      'host and TLS',
      { host: 'live.example.com', tls: true, dnsVerification: true },
      { ingress: { host: 'live.example.com', path: '/', tlsEnabled: true, dnsVerification: true, rules: [] } },
    ],
    ['metrics', { metrics: 'on' }, { metrics: { enabled: true, path: '/metrics' } }],
  ]
  for (const [title, fields, wanted] of live) {
    it(`applies ${title} at once, while another edit waits`, async () => {
      const name = await deployed()
      await patch(name, { image: 'svc/hello:waiting' })
      expect((await patch(name, fields)).body.pending).to.deep.equal(['settings'])
      const app = await record(name)
      expect(viewOf(app).effectiveSpec).to.deep.include(wanted)
      expect(viewOf(app).effectiveSpec?.source.image?.image).to.equal('svc/hello:1')
      expect(world.api.woken).to.include(`app/${name}: settings changed`)
      await patch(name, { host: '' })
    })
  }

  const waiting: [string, object, (spec: App['spec']) => unknown, unknown][] = [
    [
      'cpu and memory',
      { cpu: '250m', memory: '256Mi' },
      ({ resources }) => resources.requests,
      { cpu: '250m', memory: '256Mi' },
    ],
    [
      'command, args and folder',
      { command: ['node'], args: ['a', 'b'], workingDir: '/srv' },
      ({ build }) => build,
      { cache: true, command: ['node'], args: ['a', 'b'], workingDir: '/srv' },
    ],
    [
      'a readiness probe',
      { readinessPath: '/ready', readinessPeriod: 5 },
      ({ deploy }) => deploy.readinessProbe,
      { path: '/ready', periodSeconds: 5, timeoutSeconds: 2, failureThreshold: 3 },
    ],
    [
      'a liveness probe',
      { livenessPort: 9000 },
      ({ deploy }) => deploy.livenessProbe,
      { path: '/', port: 9000, periodSeconds: 10, timeoutSeconds: 2, failureThreshold: 3 },
    ],
  ]
  for (const [title, fields, read, wanted] of waiting) {
    it(`keeps ${title} for the next deploy`, async () => {
      const name = await deployed()
      const { body, text } = await patch(name, fields)
      expect(body.pending, text).to.deep.equal(['settings'])
      expect(read((await record(name)).spec)).to.deep.equal(wanted)
    })
  }

  it('node tags are for signed-in admins', async () => {
    const name = await deployed()
    const refused = await patch(name, { runOnTags: ['gpu'] })
    expect(refused.status).to.equal(403)
    const { body } = await world.api.ask('POST', `/api/apps/${name}/update`, {
      cookie: world.cookie,
      form: { runOnTags: ['gpu', 'ssd'] },
    })
    expect(body.pending).to.deep.equal(['settings'])
    expect((await record(name)).spec.runOn.tags).to.deep.equal(['gpu', 'ssd'])
  })

  it('stores every field of a git service and of a function, and says that schedules cannot run yet', async () => {
    const git = await create({
      source: 'git',
      image: undefined,
      repository: 'acme/shop',
      branch: 'main',
      dockerfile: 'Dockerfile.prod',
      context: 'web',
      waitForCI: true,
      buildVariables: ['COLOUR'],
    })
    expect((await record(git)).spec.build).to.deep.equal({ cache: true, variables: ['COLOUR'] })
    await patch(git, { watchPatterns: ['web/**'], buildCache: 'off', buildVariables: ['NPM_TOKEN', 'COLOUR'] })
    expect((await record(git)).spec.source.git).to.deep.equal({
      repository: 'acme/shop',
      branch: 'main',
      commit: '',
      dockerfile: 'Dockerfile.prod',
      context: 'web',
      waitForCI: true,
      watchPatterns: ['web/**'],
    })
    expect((await record(git)).spec.build).to.deep.equal({ cache: false, variables: ['NPM_TOKEN', 'COLOUR'] })
    const cleared = await patch(git, { buildVariables: '' })
    expect(cleared.status, cleared.text).to.equal(200)
    expect((await record(git)).spec.build).to.deep.equal({ cache: false })
    expect((await patch(await create(), { buildVariables: ['COLOUR'] })).body.error).to.match(
      /applies to git services only/,
    )
    const schedule = { name: 'nightly', schedule: '0 3 * * *', payload: '{"a":1}' }
    const fn = await create({
      source: 'function',
      image: undefined,
      runtime: 'bun',
      mode: 'event',
      code: 'export {}',
      functionTriggers: [schedule],
    })
    expect((await record(fn)).spec.source.function).to.deep.equal({
      runtime: 'bun',
      mode: 'event',
      code: 'export {}',
      triggers: [{ ...schedule, path: '/' }],
    })
    expect((await patch(fn, { functionTriggers: '' })).body.pending).to.deep.equal(['created'])
    expect((await record(fn)).spec.source.function?.triggers).to.deep.equal([])
    expect((await post(`/apps/${fn}/deploy`)).body).to.include({ ok: true, deployed: true })
    expect((await patch(fn, { functionCode: 'export const other = 1' })).body.pending).to.deep.equal(['settings'])
    const bare = await create({ source: 'function', image: undefined })
    expect((await post(`/apps/${bare}/deploy`)).body.error).to.equal('set the code in settings before you deploy')
    expect((await patch(bare, { functionCode: 'x'.repeat(64 * 1024 + 1) })).status).to.equal(400)
    expect(
      (await post('/apps', { project: world.project, environment: 'production', source: 'git', deploy: true })).body
        .error,
    ).to.equal('set a repository in settings before you deploy')
  })

  const refusals: [object, string][] = [
    [{ replicas: 1001 }, 'replicas must be a whole number from 0 to 1000'],
    [{ idleSeconds: 29 }, 'idle_seconds must be between 30 and 86400'],
    [{ port: 0 }, 'port must be a whole number from 1 to 65535'],
    [{ host: 'Not A Host' }, 'host must be a lowercase host name such as shop.example.com'],
    [{ repository: 'acme/shop' }, 'repository applies to git services only'],
    [{ functionCode: 'x' }, 'functionCode applies to functions only'],
    [{ minReplicas: 2 }, 'turn autoscaling on to set minReplicas, maxReplicas, or targetCPU'],
    [{ autoscaling: 'on', minReplicas: 5, maxReplicas: 2 }, 'minReplicas must not exceed maxReplicas'],
    [{ volumePath: '/etc/app' }, 'volumePath must not be in /proc, /sys, /dev, /etc, /run, /var/run'],
    [{ volumeSize: '1Gi' }, 'set volumePath to give the service a volume'],
    [{ volumePath: '/data', replicas: 2 }, oneCopy],
    [{ environment: 'staging', deploy: true }, 'the project has no environment staging'],
  ]
  for (const [fields, sentence] of refusals) {
    it(`refuses ${JSON.stringify(fields)}: ${sentence}`, async () => {
      const name = await deployed()
      const { status, body } = await patch(name, fields)
      expect([status, body.error, body.code]).to.deep.equal([400, sentence, 'invalid_request'])
    })
  }

  it('a volume waits for a deploy, keeps its size once its claim is there, and bears one copy', async () => {
    const name = await deployed()
    expect((await patch(name, { volumePath: '/data' })).body.pending).to.deep.equal(['settings'])
    expect((await record(name)).spec.volume).to.deep.equal({ path: '/data', size: '10Gi' })
    expect((await patch(name, { volumeSize: '5Gi' })).body.ok, 'nothing is there yet').to.equal(true)
    const { client } = await useStack()
    const namespace = `${world.project}-production`
    const claim = { type: coreTypes.persistentVolumeClaim, namespace, name: `${name}-volume` }
    await client.create(coreTypes.namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    await client.create(coreTypes.persistentVolumeClaim, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: claim.name, namespace, labels: { 'svc.dev/owner': (await record(name)).metadata.uid ?? '' } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } } },
    } as KubeObject)
    const errorOf = async (fields: object) => (await patch(name, fields)).body.error
    const cannot = 'volumeSize cannot shrink; the volume has 5Gi'
    await eventually(
      'the api has seen the claim',
      async () => (await errorOf({ volumeSize: '1Gi' })) === cannot,
      10_000,
    )
    expect(await errorOf({ volumeSize: '20Gi' })).to.equal(
      'this cluster cannot enlarge volumes; the volume keeps its 5Gi',
    )
    expect((await post(`/apps/${name}/scale`, { replicas: 2 })).body.error).to.equal(oneCopy)
    expect((await patch(name, { volumePath: '' })).body.ok).to.equal(true)
    expect((await record(name)).spec).not.to.have.property('volume')
    await client.delete(claim)
    await client.delete({ type: coreTypes.namespace, name: namespace })
  })

  it('POST /apps refuses a taken name, a taken host, draft together with deploy, and a deploy without an image', async () => {
    const error = async (fields: object) =>
      (await post('/apps', { project: world.project, environment: 'production', ...fields })).body.error
    const name = await create({ host: 'taken.example.com' })
    expect(await error({ name })).to.equal(`the name ${name} is already used`)
    expect(await error({ host: 'taken.example.com' })).to.equal('this host is used by another service')
    expect(await error({ draft: true, deploy: true })).to.equal('draft and deploy cannot be used together')
    expect(await error({ deploy: true })).to.equal('set an image in settings before you deploy')
  })

  it('refuses a spec over 96 KiB in plain words', async () => {
    const name = await create({ source: 'function', image: undefined, code: 'x'.repeat(60_000) })
    for (const key of ['A', 'B']) {
      const { body } = await post(`/apps/${name}/config/set`, { key, value: 'y'.repeat(25_000) })
      if (key === 'B')
        expect(body.error).to.match(/^the settings and variables together must be at most 96 KiB, these are \d+ KiB$/)
      else expect(body.ok).to.equal(true)
    }
  })

  it('POST /apps/{name}/scale is effective at once', async () => {
    const name = await deployed()
    expect((await post(`/apps/${name}/scale`, { replicas: 3 })).body).to.deep.equal({ ok: true })
    expect(viewOf(await record(name)).effectiveSpec?.replicas).to.equal(3)
    expect(pendingChangesOf(await record(name))).to.deep.equal([])
    expect((await post(`/apps/${name}/scale`, { replicas: 1001 })).body.error).to.equal(
      'replicas must be a whole number from 0 to 1000',
    )
    await patch(name, { autoscaling: 'on' })
    expect((await post(`/apps/${name}/scale`, { replicas: 2 })).body.error).to.equal(
      'autoscaling sets the number of copies; turn it off to scale by hand',
    )
  })

  it('POST /api/apps/{app}/display-name sets the label, and empty takes it away', async () => {
    const name = await create()
    const label = async () =>
      (await world.api.ask('GET', `/api/v1/apps/${name}`, { token: world.token })).body.resource.displayName
    expect((await post(`/apps/${name}/display-name`, { displayName: 'Web shop' })).body).to.deep.equal({ ok: true })
    expect(await label()).to.equal('Web shop')
    await world.api.ask('POST', `/api/apps/${name}/display-name`, { cookie: world.cookie, form: { displayName: '' } })
    expect(await label()).to.equal(name)
  })

  it('POST /api/apps/{app}/networking/delete clears host and TLS at once', async () => {
    const name = await deployed({ host: 'cleared.example.com' })
    expect((await post(`/apps/${name}/networking/delete`, { confirmName: 'x' })).body.error).to.equal(
      'confirmation did not match the resource name',
    )
    expect((await post(`/apps/${name}/networking/delete`, { confirmName: name })).body).to.deep.equal({ ok: true })
    expect(viewOf(await record(name)).effectiveSpec?.ingress).to.include({ host: '', tlsEnabled: false })
  })

  it('PATCH answers a project token for its own environment only', async () => {
    const mine = await deployed()
    const scoped = await world.api.token({
      name: 'ci',
      scope: 'project',
      project: world.project,
      environment: 'production',
    })
    const asked = (name: string, json: object) =>
      world.api.ask('PATCH', `/api/v1/apps/${name}`, { token: scoped, json })
    expect((await asked(mine, { port: 9999 })).status).to.equal(200)
    expect((await asked(mine, { environment: 'staging' })).status).to.equal(403)
    const elsewhere = (await post('/projects')).body.project
    const foreign = (await post('/apps', { project: elsewhere, environment: 'production' })).body.name
    const { status, body } = await asked(foreign, { port: 9999 })
    expect([status, body.error]).to.deep.equal([404, 'app not found'])
  })
})
