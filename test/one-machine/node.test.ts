/** A real node from its first start to its removal: services run, state lasts, nothing is left behind. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppsV1Api, CoreV1Api, KubeConfig, NetworkingV1Api, type V1Deployment } from '@kubernetes/client-node'
import { expect } from 'chai'
import { canHaveNode } from '../../one-machine/node/can-have.ts'
import { findTraefik } from '../../one-machine/node/ingress.ts'
import { nodeName } from '../../one-machine/node/network.ts'
import { installPackages } from '../../one-machine/debian/packages.ts'
import { startNode, type RunningNode } from '../../one-machine/node/start.ts'
import { makeServersOf } from '../harness/servers.ts'
import { tracesOf } from './traces.ts'

/** The first run on a machine builds servers, which takes minutes. */
const firstStartMs = 40 * 60_000
const storyMs = 90_000
const can = canHaveNode()
const logLine = (line: string): void => console.log(`      node: ${line}`)

function hello(version: string): V1Deployment {
  const probe = { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1 }
  const container = {
    name: 'app',
    image: `svc/hello:${version}`,
    readinessProbe: probe,
    securityContext: { runAsNonRoot: true },
  }
  const labels = { app: 'hello' }
  return {
    metadata: { name: 'hello' },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
  }
}

/**
 * The body of a 200 for a host name, else ''; the name is sent as `Host`, since not every resolver knows `.localhost`.
 */
function askHost(address: string | undefined, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(new URL(address ?? ''), { headers: { host }, timeout: 1000 }, (answer) => {
      let body = ''
      answer.on('data', (chunk: Buffer) => (body += String(chunk)))
      answer.on('end', () => resolve(answer.statusCode === 200 ? body : ''))
    }).on('error', reject)
  })
}

async function eventually<Value>(look: () => Promise<Value | undefined>): Promise<Value> {
  for (const deadline = Date.now() + 60_000; ; await sleep(200)) {
    const value = await look()
    if (value !== undefined) return value
    if (Date.now() > deadline) throw new Error('it did not happen within a minute')
  }
}

;(can.ok ? describe : describe.skip)('a real node', function () {
  this.timeout(storyMs)
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-node-test-'))
  const namespace = 'default'
  const own = nodeName(join(dataDir, 'node'))
  let untouched: Record<string, string[]>
  let starter: ChildProcess
  let node: RunningNode
  let core: CoreV1Api
  let apps: AppsV1Api
  let networking: NetworkingV1Api
  let address: string

  const connect = (): void => {
    const config = new KubeConfig()
    config.loadFromFile(node.kubeconfig)
    core = config.makeApiClient(CoreV1Api)
    apps = config.makeApiClient(AppsV1Api)
    networking = config.makeApiClient(NetworkingV1Api)
  }
  const fetchVersion = (version: string): Promise<string> =>
    eventually(async () => {
      const answer = await fetch(`http://${address}/`, { signal: AbortSignal.timeout(1000) }).then(
        (got) => got.text(),
        () => '',
      )
      return answer.includes(`version ${version} `) ? answer : undefined
    })
  const logOf = (pod: string): Promise<string> => core.readNamespacedPodLog({ name: pod, namespace }).catch(() => '')

  before(async function () {
    this.timeout(firstStartMs)
    await makeServersOf('node')
    await installPackages(logLine)
    untouched = tracesOf(own)
  })

  after(async () => {
    starter?.kill('SIGKILL')
    await node?.stop({ keepState: false }).catch(() => undefined)
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('ends with the process that started it, even a killed one', async function () {
    this.timeout(firstStartMs)
    const script = `const { startNode } = await import(process.argv[1]); const node = await startNode({ dataDir: process.argv[2], progress: console.log }); console.log('UP ' + node.pid); setInterval(() => {}, 1e9)`
    const module = new URL('../../one-machine/node/start.ts', import.meta.url).href
    starter = spawn(process.execPath, ['--input-type=module', '-e', script, module, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const pid = await new Promise<number>((resolve, reject) => {
      let text = ''
      starter.once('exit', (code) => reject(new Error(`the start ended with ${code}: ${text}`)))
      starter.stdout?.on('data', (chunk: Buffer) => {
        logLine(String(chunk).trim())
        text += String(chunk)
        const up = /^UP (\d+)$/m.exec(text)
        if (up !== null) resolve(Number(up[1]))
      })
    })
    starter.kill('SIGKILL')
    await eventually(async () => (existsSync(`/proc/${pid}`) ? undefined : true))
  })

  it('starts again where a killed start left off, its secrets readable by their owner alone', async () => {
    node = await startNode({ dataDir, progress: logLine })
    connect()
    expect(statSync(node.kubeconfig).mode & 0o777).to.equal(0o600)
    expect(existsSync(`/sys/class/net/${own}`), 'the name under which traces are looked for').to.equal(true)
    expect(statSync(join(dataDir, 'node/pki/ca.key')).mode & 0o077).to.equal(0)
  })

  it('refuses to run twice in one folder', async () => {
    const refusal = await startNode({ dataDir, progress: logLine }).then(
      () => '',
      (error: unknown) => String(error),
    )
    expect(refusal).to.match(/is already running \(process \d+\)$/)
  })

  it('runs a service that this machine can fetch', async () => {
    await apps.createNamespacedDeployment({ namespace, body: hello('1') })
    const service = await core.createNamespacedService({
      namespace,
      body: {
        metadata: { name: 'hello' },
        spec: { selector: { app: 'hello' }, ports: [{ port: 80, targetPort: 8080 }] },
      },
    })
    address = service.spec?.clusterIP ?? ''
    const answer = await fetchVersion('1')
    expect(answer)
      .to.match(/^variables: .*KUBERNETES_SERVICE_HOST/m)
      .and.not.contain(node.serviceRange.split('.').slice(0, 2).join('.'))
  })

  it('serves an Ingress under its host name where Traefik is at hand', async function () {
    if (findTraefik() === undefined) {
      console.log('      !!! THE INGRESS IS NOT TESTED HERE: Traefik is not built')
      this.skip()
    }
    const rule = {
      host: 'hello.localhost',
      http: {
        paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'hello', port: { number: 80 } } } }],
      },
    }
    await networking.createNamespacedIngress({
      namespace,
      body: { metadata: { name: 'hello' }, spec: { ingressClassName: 'traefik', rules: [rule] } },
    })
    const answer = await eventually(async () => (await askHost(node.ingress(), 'hello.localhost')) || undefined)
    expect(answer).to.match(/^hello from version 1 /)
    expect(await askHost(node.ingress(), 'other.localhost')).to.equal('')
  })

  it('keeps a volume for a pod, which finds Services by name', async () => {
    const script =
      'echo line >> /data/lines; echo lines: $(wc -l < /data/lines); until wget -q -O- http://hello; do sleep 1; done; trap "exit 0" TERM; sleep 100000 & wait'
    await core.createNamespacedPersistentVolumeClaim({
      namespace,
      body: {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
      },
    })
    const container = {
      name: 'app',
      image: 'busybox',
      command: ['sh', '-c', script],
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    }
    await core.createNamespacedPod({
      namespace,
      body: {
        metadata: { name: 'keeper' },
        spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }], containers: [container] },
      },
    })
    const log = await eventually(async () =>
      (await logOf('keeper')).includes('hello from') ? logOf('keeper') : undefined,
    )
    expect(log).to.match(/^lines: 1$/m)
  })

  it('keeps pods from the metadata address of a cloud, and from nothing else', async () => {
    const inNode = `--net=/proc/${node.pid}/ns/net`
    const metadata = '169.254.169.254'
    // From here on the address belongs to the node: traffic to it stays in the node's network namespace, allowed or
    // not.
    execFileSync('nsenter', [inNode, 'ip', 'addr', 'add', `${metadata}/32`, 'dev', 'lo'])
    const program = `require('node:http').createServer((_, answer) => answer.end('credentials')).listen(0, '0.0.0.0', function () { console.log(this.address().port) })`
    const server = spawn('nsenter', [inNode, process.execPath, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const port = await new Promise<string>((resolve) =>
        server.stdout.once('data', (text: Buffer) => resolve(String(text).trim())),
      )
      const ask = (what: string, host: string) =>
        `echo ${what}: $(timeout 3 wget -q -O- http://${host}:${port}/ 2>/dev/null || echo nothing)`
      const script = `${ask('node', node.nodeAddress)}; ${ask('metadata', metadata)}; echo asked; sleep 100000`
      const container = { name: 'app', image: 'busybox', command: ['sh', '-c', script] }
      await core.createNamespacedPod({
        namespace,
        body: { metadata: { name: 'curious' }, spec: { terminationGracePeriodSeconds: 0, containers: [container] } },
      })
      const log = await eventually(async () =>
        (await logOf('curious')).includes('asked') ? logOf('curious') : undefined,
      )
      expect(log).to.equal('node: credentials\nmetadata: nothing\nasked\n')
      // From the node the same server answers at that address: only the rule blocked the pod.
      const question = `fetch('http://${metadata}:${port}/').then((got) => got.text()).then(console.log)`
      expect(execFileSync('nsenter', [inNode, process.execPath, '-e', question], { encoding: 'utf8' })).to.equal(
        'credentials\n',
      )
    } finally {
      server.kill('SIGKILL')
      execFileSync('nsenter', [inNode, 'ip', 'addr', 'del', `${metadata}/32`, 'dev', 'lo'])
      await core.deleteNamespacedPod({ name: 'curious', namespace }).catch(() => undefined)
    }
  })

  it('reports that an image that no registry has cannot be pulled', async () => {
    await core.createNamespacedPod({
      namespace,
      body: { metadata: { name: 'nobody' }, spec: { containers: [{ name: 'app', image: 'svc/does-not-exist:1' }] } },
    })
    const reason = await eventually(
      async () =>
        (
          await core.readNamespacedPod({ name: 'nobody', namespace })
        ).status?.containerStatuses?.[0]?.state?.waiting?.reason?.replace('ContainerCreating', '') || undefined,
    )
    expect(reason).to.be.oneOf(['ErrImagePull', 'ImagePullBackOff'])
    await core.deleteNamespacedPod({ name: 'nobody', namespace })
  })

  it('rolls a service to its next version', async () => {
    await apps.replaceNamespacedDeployment({ name: 'hello', namespace, body: hello('2') })
    await fetchVersion('2')
  })

  it('comes back as it was after a stop', async () => {
    await node.stop({ keepState: true })
    node = await startNode({ dataDir, progress: logLine })
    connect()
    await fetchVersion('2')
    const log = await eventually(async () =>
      (await logOf('keeper')).includes('hello from') ? logOf('keeper') : undefined,
    )
    expect(log).to.match(/^lines: 2$/m)
  })

  it('leaves nothing behind', async () => {
    await node.stop({ keepState: false })
    expect(existsSync(join(dataDir, 'node'))).to.equal(false)
    expect(tracesOf(own)).to.deep.equal(untouched)
  })
})

if (!can.ok) console.log(`\n  !!! THE REAL NODE IS NOT TESTED HERE: ${can.why}\n`)
