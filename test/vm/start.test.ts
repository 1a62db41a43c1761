/**
 * `npm start` on a machine with systemd: a first deploy, limits, a database, a second start, and nothing left after
 * each way to stop.
 */
import { expect } from 'chai'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client as Postgres } from 'pg'
import { createClient, type Client } from '../../client/client.ts'
import { signInByPassword } from '../../client/password-sign-in.ts'
import { connectCluster, type ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { kubeconfigPath } from '../../one-machine/node/certificates.ts'
import { nodeName } from '../../one-machine/node/network.ts'
import { freePort } from '../../one-machine/processes/ports.ts'
import { scaledLimit } from '../../one-machine/processes/time-limits.ts'
import { eventually } from '../cluster/eventually.ts'
import { tracesOf } from '../one-machine/traces.ts'

const project = join(import.meta.dirname, '../..')
const withinMs = scaledLimit(120_000)
const served = 'Ctrl-C stops everything'
const underSystemd = readFileSync('/proc/1/comm', 'utf8') === 'systemd\n'

interface Pod extends KubeObject {
  status?: {
    containerStatuses?: {
      lastState?: { terminated?: { reason: string } }
      state?: { terminated?: { reason: string } }
    }[]
  }
}

/** A process on a terminal, with all its output. */
class Terminal {
  readonly process: ChildProcess
  readonly ended: Promise<number | null>
  output = ''

  constructor(command: string) {
    this.process = spawn('script', ['-qefc', command, '/dev/null'], {
      cwd: project,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.process.stdout?.on('data', (data) => (this.output += String(data)))
    this.ended = new Promise((resolve) => this.process.once('close', (code) => resolve(code)))
  }

  async until(text: string): Promise<void> {
    let over = false
    void this.ended.then(() => (over = true))
    await eventually(text, () => over || this.output.includes(text), withinMs).catch((error: unknown) => {
      throw new Error(this.output, { cause: error })
    })
    if (!this.output.includes(text)) throw new Error(this.output)
  }

  type(text: string): void {
    this.process.stdin?.write(text)
  }
}

describe('npm start in the virtual machine', function () {
  this.timeout(3 * withinMs)
  this.bail(true) // each goes on where the one before ended
  const home = '/var/tmp' // a node cannot keep its data below /var/lib or /run
  mkdirSync(home, { recursive: true })
  const dataDir = mkdtempSync(join(home, 'svc-vm-'))
  const own = nodeName(join(dataDir, 'node/node'))
  let start: string
  let untouched: Record<string, string[]>
  let terminal: Terminal
  let client: Client
  let cluster: ClusterClient & { close(): Promise<void> }
  let namespace: string

  before(async () => {
    start = `npm start --silent -- --cluster node --data ${dataDir} --port ${await freePort()}`
    untouched = tracesOf(own)
  })
  after(async () => {
    await cluster?.close()
    terminal?.process.kill('SIGTERM')
    await terminal?.ended
    rmSync(dataDir, { recursive: true, force: true })
  })

  const nothingIsLeft = (): void => void expect(tracesOf(own)).to.deep.equal(untouched)
  /** Uses the address of postgres's Service, since this machine does not resolve its name. */
  const askPostgres = async (sql: string): Promise<string> => {
    const { host, port, database, username, password } = await client.call('databases.connection', {
      db: 'kept',
      reveal: true,
    })
    const service = await cluster.get<KubeObject & { spec: { clusterIP: string } }>({
      type: coreTypes.service,
      namespace,
      name: host.split('.')[0] ?? '',
    })
    const db = new Postgres({
      host: service?.spec.clusterIP ?? '',
      port: Number(port),
      database,
      user: username,
      password,
      connectionTimeoutMillis: withinMs,
    })
    await db.connect()
    try {
      return String((await db.query<{ word: string }>(sql)).rows?.[0]?.word)
    } finally {
      await db.end()
    }
  }
  /** An API server that shares one slow processor with all others may not answer a single question in time. */
  const until = (what: string, holds: () => Promise<boolean>): Promise<void> =>
    eventually(what, () => holds().catch(() => false), withinMs)
  const stateOf = async (app: string): Promise<string> => (await client.call('apps.get', { app })).resource.state

  it('asks at a terminal for the sample, and starts', async () => {
    terminal = new Terminal(start)
    await terminal.until('Deploy a sample service?')
    terminal.type('n\n')
    await terminal.until(served)
    expect(terminal.output).to.contain('a real node on this machine')
    const baseUrl = /svc +(http:\S+)/.exec(terminal.output)?.[1] ?? ''
    const password = /password (\S+)/.exec(terminal.output)?.[1] ?? ''
    const token = await signInByPassword({
      baseUrl,
      username: 'admin',
      password,
      tokenName: 'vm',
      expiresInDays: 1,
      userAgent: 'svc-test',
    })
    client = createClient({ baseUrl, token, userAgent: 'svc-test' })
    cluster = connectCluster({ kubeconfig: kubeconfigPath(join(dataDir, 'node/node'), 'admin') })
  })

  it('deploys a service, whose log is what it wrote', async () => {
    const made = await client.call('projects.create', {})
    namespace = `${made.project}-production`
    await client.call('apps.create', {
      project: made.project,
      environment: 'production',
      name: 'hello',
      image: 'svc/hello:1',
      deploy: true,
    })
    await until('hello is ready', async () => (await stateOf('hello')) === 'ready')
    const lines = async (): Promise<string[]> =>
      (await client.call('apps.logs', { app: 'hello' })).lines.map(({ line }) => line)
    await until('its log', async () => (await lines()).includes('hello 1 listens on port 8080'))
  })

  it('ends a service that takes more memory than it may', async () => {
    const { resource } = await client.call('apps.get', { app: 'hello' })
    await client.call('apps.create', {
      project: resource.project,
      environment: 'production',
      name: 'greedy',
      image: 'busybox',
      runAsRoot: true,
      memory: '32Mi',
    })
    await client.call('apps.update', {
      app: 'greedy',
      command: ['sh', '-c', 'exec tail -c 200000000 /dev/zero'],
      deploy: true,
    })
    const reasons = async (): Promise<(string | undefined)[]> => {
      const pods = (await cluster.list<Pod>(coreTypes.pod, { namespace })).items
      return pods.flatMap(({ status }) =>
        (status?.containerStatuses ?? []).flatMap(({ state, lastState }) => [
          state?.terminated?.reason,
          lastState?.terminated?.reason,
        ]),
      )
    }
    await until('OOMKilled', async () => (await reasons()).includes('OOMKilled'))
    await client.call('apps.delete', { app: 'greedy', confirmName: 'greedy' })
  })

  it('makes a postgres, which takes a row', async () => {
    const { resource } = await client.call('apps.get', { app: 'hello' })
    await client.call('databases.create', {
      project: resource.project,
      environment: 'production',
      engine: 'postgres',
      name: 'kept',
      cpu: '200m',
      deploy: true,
    })
    const ready = async (): Promise<boolean> =>
      (await client.call('databases.get', { db: 'kept' })).resource.state === 'ready'
    await until('postgres is ready', ready)
    await askPostgres('CREATE TABLE kept (word text)')
    await askPostgres("INSERT INTO kept VALUES ('otter')")
  })

  it('leaves nothing behind after a Ctrl-C', async () => {
    await cluster.close()
    terminal.type('\u0003')
    await terminal.ended
    expect(terminal.output).to.contain('svc: stopping').and.not.contain('not everything stopped in time')
    nothingIsLeft()
  })

  it('comes back at the next start, with the row', async () => {
    terminal = new Terminal(start)
    await terminal.until(served)
    cluster = connectCluster({ kubeconfig: kubeconfigPath(join(dataDir, 'node/node'), 'admin') })
    await until('hello is ready', async () => (await stateOf('hello')) === 'ready')
    let word = ''
    await until('the row', async () => (word = await askPostgres('SELECT word FROM kept')) !== '')
    expect(word).to.equal('otter')
  })

  it('leaves nothing behind after a SIGTERM', async () => {
    await cluster.close()
    const [npm = ''] = execFileSync('pgrep', ['-f', `^npm start.*${dataDir}`], { encoding: 'utf8' }).split('\n')
    process.kill(Number(npm), 'SIGTERM')
    await terminal.ended
    await eventually(
      'nothing is left',
      () => JSON.stringify(tracesOf(own)) === JSON.stringify(untouched),
      withinMs,
    ).catch(nothingIsLeft)
  })

  it('runs as a service of systemd, whose stop leaves nothing behind', async function () {
    if (!underSystemd) this.skip()
    const unit = 'svc-vm-start'
    const log = join(dataDir, 'unit.log')
    const environment = ['PATH', 'XDG_CACHE_HOME', 'SVC_PATIENCE'].flatMap((name) => [
      '--setenv',
      `${name}=${process.env[name] ?? ''}`,
    ])
    const properties = [
      '-p',
      `WorkingDirectory=${project}`,
      '-p',
      `StandardOutput=file:${log}`,
      '-p',
      'TimeoutStopSec=300',
    ]
    execFileSync('systemd-run', [
      '--quiet',
      '--collect',
      `--unit=${unit}`,
      ...environment,
      ...properties,
      ...start.split(' '),
    ])
    await eventually('it is served', () => readFileSync(log, 'utf8').includes(served), withinMs).catch(
      (error: unknown) => {
        throw new Error(readFileSync(log, 'utf8'), { cause: error })
      },
    )
    execFileSync('systemctl', ['stop', unit])
    nothingIsLeft()
  })
})
