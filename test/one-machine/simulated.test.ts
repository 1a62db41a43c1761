/** The simulated cluster: how its pods run and fail, and that its state lasts. */
import { expect } from 'chai'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { connectCluster } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { startSimulatedCluster, type SimulatedCluster } from '../../one-machine/simulated/start.ts'
import type { Target } from '../../one-machine/metrics/scrape.ts'
import { eventually } from './temporary.ts'

interface Pod extends KubeObject {
  status?: {
    phase?: string
    podIP?: string
    conditions?: { type: string; status: string }[]
    containerStatuses?: {
      restartCount: number
      state?: { waiting?: { reason?: string }; terminated?: { exitCode?: number } }
      lastState?: { terminated?: { exitCode?: number } }
    }[]
  }
}

const namespace = 'default'
const manager = 'test'

describe('the simulated cluster', function () {
  this.timeout(60_000)
  let dataDir: string
  let cluster: SimulatedCluster
  let client: ReturnType<typeof connectCluster>
  const auditLog = (): string => join(dataDir, 'audit.log')
  const start = async (): Promise<void> => {
    cluster = await startSimulatedCluster({ dataDir, auditLog: auditLog() })
    client = connectCluster({ kubeconfig: cluster.kubeconfig })
  }
  const stop = async (): Promise<void> => {
    await client.close()
    await cluster.stop()
  }

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'svc-simulated-'))
    await start()
  })
  after(async () => {
    await stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const run = async (
    name: string,
    spec: { image?: string; annotations?: Record<string, string>; restartPolicy?: string },
  ): Promise<void> => {
    const { image = 'svc/hello:1', annotations = {}, restartPolicy = 'Always' } = spec
    await client.apply(
      coreTypes.pod,
      { metadata: { name, namespace, annotations }, spec: { restartPolicy, containers: [{ name: 'app', image }] } },
      { manager },
    )
  }
  /** As the metrics store asks it. */
  const readTarget = async ({ url, tls }: Target): Promise<string> => {
    const agent = new Agent({ connect: { ca: readFileSync(tls?.ca ?? '') } })
    try {
      return await (await request(url, { dispatcher: agent })).body.text()
    } finally {
      await agent.close()
    }
  }
  const read = (name: string) => client.get<Pod>({ type: coreTypes.pod, namespace, name })
  const isReady = (pod: Pod | undefined): boolean =>
    pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
  const waitingReason = async (name: string): Promise<string | undefined> =>
    (await read(name))?.status?.containerStatuses?.[0]?.state?.waiting?.reason

  it('makes a pod ready with an address', async () => {
    await run('fine', {})
    await eventually(async () => isReady(await read('fine')))
    expect((await read('fine'))?.status?.podIP).to.match(/^10\./)
  })

  it('shows what the container log file holds', async () => {
    await run('talks', {})
    await eventually(async () => isReady(await read('talks')))
    appendFileSync(cluster.containerLog, `${new Date().toISOString()} stdout F hello from a test\n`)
    expect(await client.raw('GET', `/api/v1/namespaces/${namespace}/pods/talks/log?tailLines=1`)).to.equal(
      'hello from a test\n',
    )
  })

  it('plays what the containers of each node use, by the names of a kubelet', async () => {
    await run('busy', { annotations: { 'kwok.x-k8s.io/usage-cpu': '20', 'kwok.x-k8s.io/usage-memory': '100Mi' } })
    await run('usual', {})
    const counted = async (name: string): Promise<Record<string, number>> => {
      const texts = await Promise.all(cluster.targets.map(readTarget))
      const found = texts.join('\n').matchAll(/^(\w+)\{container="app",namespace="default",pod="(\w+)"\} (\S+)$/gm)
      return Object.fromEntries(
        [...found].filter(([, , pod]) => pod === name).map(([, series = '', , value]) => [series, Number(value)]),
      )
    }
    const cpu = 'container_cpu_usage_seconds_total'
    await eventually(async () => ((await counted('busy'))[cpu] ?? 0) > 0)
    const before = (await counted('busy'))[cpu] ?? Infinity
    await eventually(async () => ((await counted('busy'))[cpu] ?? 0) > before)
    expect((await counted('busy'))['container_memory_working_set_bytes']).to.equal(100 * 1024 * 1024)
    expect((await counted('usual'))['container_memory_working_set_bytes']).to.equal(16 * 1024 * 1024)
  })

  const failures: [string, { image?: string; annotations?: Record<string, string> }, string][] = [
    ['an image named broken-image', { image: 'registry.example/broken-image:1' }, 'ImagePullBackOff'],
    ['an image that does not exist', { image: 'does-not-exist:latest' }, 'ImagePullBackOff'],
    ['an image that crashes', { image: 'svc/hello:crash' }, 'CrashLoopBackOff'],
    ['the annotation ImagePullBackOff', { annotations: { 'svc.dev/fail': 'ImagePullBackOff' } }, 'ImagePullBackOff'],
    ['the annotation CrashLoopBackOff', { annotations: { 'svc.dev/fail': 'CrashLoopBackOff' } }, 'CrashLoopBackOff'],
  ]
  failures.forEach(([what, spec, reason], index) => {
    it(`keeps a pod with ${what} waiting with ${reason}`, async () => {
      const name = `fails-${index}`
      await run(name, spec)
      await eventually(async () => (await waitingReason(name)) === reason)
      const pod = await read(name)
      expect(isReady(pod)).to.equal(false)
      if (reason === 'ImagePullBackOff') return
      const status = pod?.status?.containerStatuses?.[0]
      expect([status?.restartCount, status?.lastState?.terminated?.exitCode]).to.deep.equal([1, 1])
    })
  })

  it('runs a pod that is never ready', async () => {
    await run('never', { annotations: { 'svc.dev/fail': 'NeverReady' } })
    await eventually(async () => (await read('never'))?.status?.phase === 'Running')
    expect(isReady(await read('never'))).to.equal(false)
  })

  it('ends pods that are to end, with the exit code asked for', async () => {
    await run('ends', { restartPolicy: 'Never' })
    await run('ends-badly', { restartPolicy: 'Never', annotations: { 'svc.dev/exit-code': '7' } })
    await run('crashes-once', { restartPolicy: 'Never', image: 'crash' })
    const ended = async (name: string) => {
      await eventually(async () => (await read(name))?.status?.containerStatuses?.[0]?.state?.terminated !== undefined)
      const { phase, containerStatuses } = (await read(name))?.status ?? {}
      return [phase, containerStatuses?.[0]?.state?.terminated?.exitCode]
    }
    expect(await ended('ends')).to.deep.equal(['Succeeded', 0])
    expect(await ended('ends-badly')).to.deep.equal(['Failed', 7])
    expect(await ended('crashes-once')).to.deep.equal(['Failed', 1])
  })

  it('deletes a pod at once', async () => {
    await run('leaves', {})
    await eventually(async () => isReady(await read('leaves')))
    await client.delete({ type: coreTypes.pod, namespace, name: 'leaves' })
    await eventually(async () => (await read('leaves')) === undefined)
  })

  it('binds volume claims and removes the volumes of deleted ones', async () => {
    const type = coreTypes.persistentVolumeClaim
    const volumes = async (): Promise<unknown[]> =>
      (JSON.parse(await client.raw('GET', '/api/v1/persistentvolumes')) as { items: unknown[] }).items
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
    await client.apply(type, { metadata: { name: 'data', namespace }, spec }, { manager })
    await eventually(async () => (await client.get<Pod>({ type, namespace, name: 'data' }))?.status?.phase === 'Bound')
    expect(await volumes()).to.have.length(1)
    await client.delete({ type, namespace, name: 'data' })
    await eventually(async () => (await volumes()).length === 0)
  })

  it('makes a node NotReady by its annotation, and Ready again', async () => {
    const name = 'simulated-2'
    const isNodeReady = async (): Promise<boolean> => isReady(await client.get<Pod>({ type: coreTypes.node, name }))
    await client.patch({ type: coreTypes.node, name }, { metadata: { annotations: { 'svc.dev/fail': 'NotReady' } } })
    await eventually(async () => !(await isNodeReady()))
    await client.patch({ type: coreTypes.node, name }, { metadata: { annotations: { 'svc.dev/fail': null } } })
    await eventually(isNodeReady)
  })

  it('notes writes, and only writes', () => {
    const verbs = new Set(
      readFileSync(auditLog(), 'utf8')
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { verb: string }).verb),
    )
    expect(verbs).to.include('patch')
    expect([...verbs].filter((verb) => ['get', 'list', 'watch'].includes(verb))).to.deep.equal([])
  })

  it('goes on after its api server was killed and restarted', async () => {
    cluster.kill('kube-apiserver', 'SIGKILL')
    await cluster.restart('kube-apiserver')
    await run('later', {})
    await eventually(async () => isReady(await read('later')), 15_000)
  })

  it('has everything again at the next start, at the same address', async () => {
    const before = readFileSync(cluster.kubeconfig, 'utf8')
    await stop()
    await start()
    expect(readFileSync(cluster.kubeconfig, 'utf8')).to.equal(before)
    expect(isReady(await read('fine'))).to.equal(true)
  })
})
