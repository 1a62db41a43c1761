/**
 * Metrics and autoscaling on a real node, by `npm start` and the API: what is shown is compared with the kernel's own
 * counters of the containers, and with the bytes and requests that were exchanged with them.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { request } from 'undici'
import { createClient, type Client } from '../../../client/client.ts'
import { signInByPassword } from '../../../client/password-sign-in.ts'
import { type ConnectedCluster, connectCluster } from '../../../cluster/client.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { kubeconfigPath } from '../../../one-machine/node/certificates.ts'
import { freePort } from '../../../one-machine/processes/ports.ts'
import { eventually } from '../../cluster/eventually.ts'
import { makeServersOf, testServer } from '../../harness/servers.ts'
import { Start } from '../started.ts'

const waitMs = 600_000
const MiB = 1024 * 1024
/** The window of the rates, and the time until the store has read what happened in it. */
const windowSeconds = 120
const steadySeconds = 30
const usageApi = '/apis/metrics.k8s.io/v1beta1'

/** Keeps 100 MiB in memory and takes all the CPU time that it gets: half a core. */
const burner = { image: 'busybox', runAsRoot: true, cpu: '500m', memory: '160Mi' }
const burn = { command: ['tail', '-c', String(100 * MiB), '/dev/zero'] }

/** Ten times a second: it sends 1 MB and receives half of that, so that the two cannot be taken for each other. */
const exchanged = { port: 8080, everyMs: 100, sent: 100_000, received: 50_000 }
const answer = `cat >/dev/null; exec head -c ${exchanged.sent} /dev/zero`
const talk = { command: ['nc', '-ll', '-p', String(exchanged.port), '-e', 'sh', '-c', answer] }
/** Fifty a second. */
const requestEveryMs = 20

interface Pod extends KubeObject {
  readonly status?: { readonly podIP?: string }
}

interface Measured extends KubeObject {
  readonly containers?: readonly { readonly usage: { readonly cpu: string; readonly memory: string } }[]
}

interface Seen {
  /** Seconds since 1970. */
  readonly at: number
  readonly count: number
}

/** What was counted in the two minutes before `end`, in a second. */
function rateBefore(end: number, seen: readonly Seen[]): number {
  const inside = seen.filter(({ at }) => at >= end - windowSeconds && at <= end)
  const [first, last] = [inside[0], inside.at(-1)]
  if (first === undefined || last === undefined || last.at - first.at < windowSeconds / 2) return Number.NaN
  return (last.count - first.count) / (last.at - first.at)
}

/** Resolves with the number of bytes that the pod at `host` sent. */
async function exchange(host: string): Promise<number> {
  const socket = connect(exchanged.port, host)
  socket.end(Buffer.alloc(exchanged.received))
  return (await buffer(socket)).length
}

describe('metrics on a real node', function () {
  this.timeout(4 * waitMs)
  let running: Start
  let client: Client
  let cluster: ConnectedCluster
  let port: number
  let project: string
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-metrics-'))

  const begin = async (): Promise<void> => {
    running = new Start('--cluster', 'node', '--data', dataDir, '--port', String(port))
    await eventually('it serves', () => running.output.includes('Ctrl-C stops everything'), waitMs)
    await eventually('metrics are kept', () => running.output.includes('metrics: are kept from now on'), waitMs)
  }
  before(async () => {
    await makeServersOf('node')
    await testServer('victoria-metrics')
    port = await freePort()
    await begin()
    const baseUrl = `http://127.0.0.1:${port}`
    const password = /password (\S+)/.exec(running.output)?.[1] ?? ''
    const who = { username: 'admin', password, tokenName: 'metrics', expiresInDays: 1, userAgent: 'svc-test' }
    client = createClient({ baseUrl, token: await signInByPassword({ baseUrl, ...who }), userAgent: 'svc-test' })
    cluster = connectCluster({ kubeconfig: kubeconfigPath(join(dataDir, 'node/node'), 'admin') })
    project = (await client.call('projects.create', {})).project
  })
  after(async () => {
    await cluster?.close()
    await running?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const status = (app: string) => client.call('apps.status', { app })
  const create = async (name: string, fields: object, command: object = {}): Promise<void> => {
    await client.call('apps.create', { project, environment: 'production', name, ...fields })
    await client.call('apps.update', { app: name, ...command, deploy: true })
    await eventually(`${name} is ready`, async () => (await status(name)).state === 'ready', waitMs)
  }
  const podsOf = async (name: string): Promise<Pod[]> => {
    const { items } = await cluster.list<Pod>(coreTypes.pod, { namespace: `${project}-production` })
    return items.filter(({ metadata }) => new RegExp(`^${name}-[a-z0-9]+-[a-z0-9]{5}$`).test(metadata.name))
  }
  /** The kernel's count of the CPU time of a pod, in core seconds. */
  const coreSeconds = (uid: string): number => {
    const find = (file: string): string =>
      execFileSync('find', ['/sys/fs/cgroup', '-path', `*pod${uid}/${file}`], { encoding: 'utf8' }).trim()
    const [v1, v2] = [find('cpuacct.usage').split('\n')[0] ?? '', find('cpu.stat').split('\n')[0] ?? '']
    if (v1 !== '') return Number(readFileSync(v1, 'utf8')) / 1e9
    return Number(/^usage_usec (\d+)/m.exec(readFileSync(v2, 'utf8'))?.[1]) / 1e6
  }
  const last = (points: readonly { t: number; v: number }[] = []) => points.at(-1) ?? { t: 0, v: Number.NaN }

  /** Until the store has read all of a window that begins now. */
  const duringWindow = async (look: () => Promise<void> | void, everyMs: number): Promise<void> => {
    const until = Date.now() / 1000 + windowSeconds + steadySeconds
    while (Date.now() / 1000 < until) await Promise.all([look(), delay(everyMs)])
  }

  it('agree within a tenth with what the containers used, sent and received', async () => {
    await create('burner', burner, burn)
    await create('talker', { image: 'busybox', runAsRoot: true, port: exchanged.port }, talk)
    const burns = async () => {
      const pods = await podsOf('burner')
      const all = pods.map(({ metadata: { uid = '' } }) => coreSeconds(uid))
      return pods.length === 1 && (all[0] ?? 0) > 1 ? (pods[0]?.metadata.uid ?? '') : ''
    }
    await eventually('the one copy burns', async () => (await burns()) !== '', waitMs)
    const uid = await burns()
    const host = (await podsOf('talker'))[0]?.status?.podIP ?? ''
    await eventually('it talks', async () => (await exchange(host).catch(() => 0)) > 0, waitMs)
    const [used, sent, received]: [Seen[], Seen[], Seen[]] = [[], [], []]
    const add = (to: Seen[], bytes: number) =>
      to.push({ at: Date.now() / 1000, count: (to.at(-1)?.count ?? 0) + bytes })
    const talkOnce = async (): Promise<void> => {
      add(sent, await exchange(host))
      add(received, exchanged.received)
    }
    await Promise.all([
      duringWindow(() => void used.push({ at: Date.now() / 1000, count: coreSeconds(uid) }), 1_000),
      duringWindow(talkOnce, exchanged.everyMs),
    ])
    const { series } = await client.call('apps.metrics', { app: 'burner' })
    const [cpu, memory] = [last(series.cpu), last(series.memory)]
    const counted = rateBefore(cpu.t, used)
    console.log(`      cores: ${cpu.v} shown, ${counted} counted; memory: ${memory.v / MiB} MiB`)
    expect(cpu.v / counted).to.be.within(0.9, 1.1)
    expect(memory.v / (100 * MiB)).to.be.within(0.9, 1.1)
    const talked = (await client.call('apps.metrics', { app: 'talker' })).series
    for (const [what, shown, seen] of [
      ['sent', last(talked.network), sent],
      ['received', last(talked.networkIn), received],
    ] as const) {
      const bytes = rateBefore(shown.t, seen)
      console.log(`      bytes a second ${what}: ${Math.round(shown.v)} shown, ${Math.round(bytes)} counted`)
      expect(shown.v / bytes, what).to.be.within(0.9, 1.1)
    }
    const ofProject = (await client.call('projects.metrics', { project })).series
    expect(last(ofProject.cpu).v).to.be.at.least(cpu.v * 0.9)
    const ofSvc = (await client.call('metrics.operator', {})).series
    expect(last(ofSvc.apiRequests).v).to.be.above(0)
  })

  it('are shown by the API that autoscalers and kubectl top ask', async () => {
    const ask = async (path: string) =>
      (JSON.parse(await cluster.raw('GET', usageApi + path)) as { items: Measured[] }).items
    const pods = await ask(`/namespaces/${project}-production/pods`)
    const [container] = pods.find(({ metadata }) => metadata.name.startsWith('burner-'))?.containers ?? []
    expect(container?.usage.cpu).to.match(/^\d+n$/)
    expect(parseInt(container?.usage.memory ?? '', 10) / (100 * 1024)).to.be.within(0.9, 1.1)
    expect(await ask('/nodes')).to.have.length(1)
  })

  it('scale a service by itself', async () => {
    const scaling = { autoscaling: true, minReplicas: 1, maxReplicas: 2, targetCPU: 50 }
    await create('busy', { ...burner, cpu: '100m', ...scaling }, burn)
    const desired = async () => (await status('busy')).replicas?.desired
    await eventually('the autoscaler asks for a second copy', async () => (await desired()) === 2, waitMs)
  })

  it('are there again after the starter was killed, and nothing keeps a namespace from going', async () => {
    running.process.kill('SIGKILL')
    await running.ended
    const killedAt = Date.now() / 1000
    await begin()
    const { series } = await client.call('apps.metrics', { app: 'burner' })
    expect(series.memory?.filter(({ t }) => t < killedAt) ?? []).to.have.length.above(1)
    const namespace = { type: coreTypes.namespace, name: 'to-be-removed' }
    await cluster.create(coreTypes.namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace.name },
    })
    await cluster.delete(namespace)
    const isGone = async () => (await cluster.get(namespace)) === undefined
    await eventually('the namespace is gone', isGone, waitMs)
  })

  it('agree within a tenth with the requests that the ingress passed on', async () => {
    await eventually('the ingress serves', () => /ingress +(: serves at|http)/.test(running.output), waitMs)
    await create('web', { image: 'svc/hello:1' })
    await eventually('it has an address', async () => (await status('web')).url !== '', waitMs)
    const { host, port: ingress } = new URL((await status('web')).url)
    const answered: Seen[] = []
    const ask = async (): Promise<void> => {
      const { statusCode, body } = await request(`http://127.0.0.1:${ingress}`, { headers: { host } })
      await body.dump()
      if (statusCode === 200) answered.push({ at: Date.now() / 1000, count: answered.length + 1 })
    }
    await eventually('it answers', async () => await ask().then(() => answered.length > 0), waitMs)
    await duringWindow(ask, requestEveryMs)
    const { series } = await client.call('apps.metrics', { app: 'web' })
    const requests = last(series.requests)
    const counted = rateBefore(requests.t, answered)
    console.log(`      requests a second: ${requests.v} shown, ${counted} counted`)
    expect(requests.v / counted).to.be.within(0.9, 1.1)
  })
})
