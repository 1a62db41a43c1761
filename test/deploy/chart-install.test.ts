/**
 * The chart on a real kube-apiserver, by Helm: installed, upgraded, taken away and installed again; and the two
 * processes with the environment and the rights that it gives them.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { type ConnectedCluster, connectCluster } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { loginAs, readKubeconfig, writeKubeconfig } from '../../deploy/login.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import {
  readDefinitions,
  startSimulatedCluster,
  startTemporal,
  type SimulatedCluster,
  type TemporalServer,
} from '../../one-machine/index.ts'
import { freePort } from '../../one-machine/processes/index.ts'
import { askAt } from '../api/test-api.ts'
import { eventually } from '../cluster/eventually.ts'
import { chart, helm, helmWithinMs, needed, releaseNamespace } from '../harness/helm.ts'
import { endWithSuite } from '../harness/leftovers.ts'
import { logProgress, testServer } from '../harness/servers.ts'
import { untilSays } from '../harness/until-says.ts'
import { deploymentOf, type Deployment, type Part } from './rendered.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const readyWithinMs = 60_000
interface Pod extends KubeObject {
  spec: { containers: { image: string }[] }
}

const admin = { username: 'admin', password: 'correct-horse-battery', role: 'admin' }

describe('the chart on a cluster', function () {
  this.timeout(240_000)
  let folder: string
  let cluster: SimulatedCluster
  let temporal: TemporalServer
  let client: ConnectedCluster
  let values: object
  /** The record of a service that was deployed by the api and the worker of the chart. */
  let app: App

  before(async function () {
    this.timeout(helmWithinMs)
    await testServer('helm')
    folder = await mkdtemp(join(tmpdir(), 'svc-chart-'))
    const starts = [
      startSimulatedCluster({ dataDir: join(folder, 'cluster'), nodes: 1, progress: logProgress }),
      startTemporal({ dataDir: join(folder, 'temporal') }),
    ] as const
    ;[cluster, temporal] = await Promise.all(starts)
    client = connectCluster({ kubeconfig: cluster.kubeconfig })
    values = {
      ...needed,
      temporal: { address: temporal.address },
      firstUsers: { secret: 'first-users' },
      // Simulated nodes pull no images, and no test calls a cloud.
      worker: { env: { SVC_IMAGE_DIGESTS: 'off', SVC_PLANETSCALE_ENDPOINT: 'http://127.0.0.1:9' } },
      env: { SVC_AWS_ENDPOINT: 'http://127.0.0.1:9', SVC_GITHUB_API_URL: 'http://127.0.0.1:9' },
    }
  })
  after(async () => {
    await client?.close()
    await Promise.all([temporal?.stop(), cluster?.stop()])
    await rm(folder, { recursive: true, force: true })
  })

  const release = (verb: string, ...more: string[]): Promise<string> => {
    const place = ['--namespace', releaseNamespace, '--kubeconfig', cluster.kubeconfig]
    if (verb === 'uninstall') return helm([verb, 'svc', ...place, '--wait', ...more])
    return helm([verb, 'svc', chart, ...place, '--wait', '--timeout', '90s', ...more], values)
  }
  const deployment = (part: Part) =>
    client.get<Deployment>({ type: coreTypes.deployment, namespace: systemNamespace, name: `svc-${part}` })

  it('is installed where nothing of svc was, and its copies become ready', async () => {
    expect(await release('install', '--create-namespace')).to.include('STATUS: deployed')
    expect(await deployment('api')).to.have.nested.property('status.readyReplicas', 2)
    expect(await deployment('worker')).to.have.nested.property('status.readyReplicas', 2)
  })

  it('has pods that a restricted namespace lets in, and would not let in as root', async () => {
    const restricted = 'only-restricted'
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    await client.create<KubeObject>(coreTypes.namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: restricted, labels },
    })
    const tryPod = (pod: object): Promise<string> => {
      const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'tried' }, spec: pod }
      const path = `/api/v1/namespaces/${restricted}/pods`
      const options = { body, query: { dryRun: 'All' }, contentType: 'application/json' }
      return client.raw('POST', path, options).then(
        () => 'let in',
        (error: unknown) => String(error),
      )
    }
    for (const part of ['api', 'worker'] as const) {
      const { spec } = (await deployment(part))?.spec.template ?? {}
      const pod = { ...spec, serviceAccountName: undefined, serviceAccount: undefined }
      expect(await tryPod(pod), part).to.equal('let in')
      expect(await tryPod({ ...pod, securityContext: {} }), part).to.include('violates PodSecurity "restricted')
    }
  })

  it('runs an api and a worker that deploy a service', async () => {
    await client.create<KubeObject & { stringData: object }>(coreTypes.secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'first-users', namespace: systemNamespace },
      stringData: { users: JSON.stringify([admin]) },
    })
    const started: ChildProcess[] = []
    try {
      const port = await start('api', '"api ready"', started)
      await start('worker', '"the worker is ready"', started)
      app = await deployService(`http://127.0.0.1:${port}`)
    } finally {
      await Promise.all(started.map(end))
    }
    expect(app.status?.conditions?.find(({ type }) => type === 'Ready')?.status).to.equal('True')
  })

  /** A process as the Deployment on the cluster has it, at free ports of this machine; returns the api's. */
  async function start(part: Part, ready: string, started: ChildProcess[]): Promise<number> {
    const live = await deployment(part)
    if (live === undefined) throw new Error(`there is no Deployment svc-${part}`)
    const { serviceAccountName, containers } = deploymentOf([{ ...live, kind: 'Deployment' }], part).spec.template.spec
    const kubeconfig = join(folder, `${part}.kubeconfig`)
    writeKubeconfig(kubeconfig, await loginAs(client, serviceAccountName, readKubeconfig(cluster.kubeconfig)))
    const env: Record<string, string> = {}
    for (const { name, value, valueFrom } of containers[0].env)
      env[name] = value ?? (valueFrom === undefined ? '' : await secretValue(valueFrom.secretKeyRef))
    const port = await freePort()
    const ofMachine = {
      PATH: process.env['PATH'],
      KUBECONFIG: kubeconfig,
      SVC_HOST: '127.0.0.1',
      SVC_PORT: String(port),
      SVC_METRICS_HOST: '127.0.0.1',
      SVC_METRICS_PORT: String(await freePort()),
    }
    const child = spawn(process.execPath, containers[0].args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...env, ...ofMachine },
    })
    started.push(child)
    endWithSuite(child, part)
    await untilSays(child, { name: part, ready, withinMs: readyWithinMs, onLine: () => undefined })
    return port
  }

  async function secretValue({ name, key }: { name: string; key: string }): Promise<string> {
    const secret = await client.get<KubeObject & { data?: Record<string, string> }>({
      type: coreTypes.secret,
      namespace: systemNamespace,
      name,
    })
    return Buffer.from(secret?.data?.[key] ?? '', 'base64').toString()
  }

  async function deployService(url: string): Promise<App> {
    const { username, password } = admin
    const signedIn = await askAt(url, 'POST', '/api/login', { form: { username, password } })
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    const post = async (path: string, json: object): Promise<Record<string, string>> => {
      const answer = await askAt(url, 'POST', `/api/v1${path}`, { cookie, json })
      expect(answer.status, `${path}: ${answer.text}`).to.be.within(200, 201)
      return answer.body as Record<string, string>
    }
    const { project } = await post('/projects', {})
    const { name = '' } = await post('/apps', { project, environment: 'production', image: 'svc/hello:1' })
    await post(`/apps/${name}/deploy`, {})
    const ref = { type: resourceTypes.app, namespace: systemNamespace, name }
    let record: App | undefined
    await eventually(
      'the service is ready',
      async () => {
        record = await client.get<App>(ref)
        return record?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
      },
      readyWithinMs,
    )
    if (record === undefined) throw new Error('the record of the service is gone')
    return record
  }

  const appNow = () => client.get<App>({ type: resourceTypes.app, namespace: systemNamespace, name: app.metadata.name })

  it('is upgraded, workers before apis, with the records in their place', async () => {
    const tag = 'image.tag=next'
    await release('upgrade', '--set', 'worker.replicas=1', '--set', tag, '--set', 'api.paused=true')
    expect(await imagesOf('worker')).to.deep.equal(['registry.test/svc:next'])
    expect(await imagesOf('api')).to.deep.equal(['registry.test/svc:0.1.0', 'registry.test/svc:0.1.0'])
    await release('upgrade', '--set', 'worker.replicas=1', '--set', tag)
    expect(await imagesOf('api')).to.deep.equal(['registry.test/svc:next', 'registry.test/svc:next'])
    expect((await appNow())?.metadata.uid).to.equal(app.metadata.uid)
  })

  /** Of the pods that are not being ended. */
  async function imagesOf(part: Part): Promise<(string | undefined)[]> {
    const labelSelector = `app.kubernetes.io/name=svc-${part}`
    const { items } = await client.list<Pod>(coreTypes.pod, { namespace: systemNamespace, labelSelector })
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ spec }) => spec.containers[0]?.image)
  }

  it('leaves records and what runs when it is uninstalled, and installs over them again', async () => {
    await release('uninstall')
    expect([await deployment('api'), await deployment('worker')]).to.deep.equal([undefined, undefined])
    expect((await appNow())?.metadata.uid).to.equal(app.metadata.uid)
    const policies = await client.list<KubeObject>(coreTypes.networkPolicy, { namespace: systemNamespace })
    expect(policies.items.map(({ metadata }) => metadata.name)).to.have.members(['svc-servers', 'svc-tunnel'])
    await release('install')
    expect((await appNow())?.metadata.uid).to.equal(app.metadata.uid)
  })

  it('takes over what deploy/install.ts installed, once it is asked to', async () => {
    await release('uninstall')
    const types = [coreTypes.namespace, coreTypes.customResourceDefinition]
    const names = [[systemNamespace, 'svc-builds'], readDefinitions().map(({ metadata }) => metadata.name)]
    const unowned = { annotations: { 'meta.helm.sh/release-name': null, 'meta.helm.sh/release-namespace': null } }
    for (const [index, type] of types.entries())
      for (const name of names[index] ?? []) await client.patch({ type, name }, { metadata: unowned })
    await run(process.execPath, [join(root, 'deploy/install.ts'), '--kubeconfig', cluster.kubeconfig])
    const refused = await release('install').catch((error: unknown) => String(error))
    expect(refused).to.include('invalid ownership metadata')
    expect(await release('install', '--take-ownership')).to.include('STATUS: deployed')
    expect((await appNow())?.metadata.uid).to.equal(app.metadata.uid)
  })
})

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}
