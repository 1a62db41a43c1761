/** Functions of every runtime on a real node, by `npm start` and the API; the runner on bun as a process, too. */
import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '../../../client/client.ts'
import { signInByPassword } from '../../../client/password-sign-in.ts'
import { type ClusterClient, connectCluster } from '../../../cluster/client.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { functionImage, functionRuntimes } from '../../../one-machine/images/functions.ts'
import { kubeconfigPath } from '../../../one-machine/node/certificates.ts'
import { freePort } from '../../../one-machine/processes/ports.ts'
import { eventually } from '../../cluster/eventually.ts'
import { itRunsFunctions } from '../../harness/runner-behaviour.ts'
import { makeServersOf } from '../../harness/servers.ts'
import { Start } from '../started.ts'

const imagesMs = 10 * 60_000
const patienceMs = 180_000
const hello = {
  node: "export default (request) => new Response('node ' + new URL(request.url).pathname)",
  bun: "export default { fetch: (request: Request) => new Response('bun ' + new URL(request.url).pathname) }",
  python: 'def handler(request):\n    return "python " + request.path\n',
} as const

describe('the runner of functions on bun', function () {
  this.timeout(imagesMs)
  let program = ''
  before(async () => {
    program = (await functionImage('bun', () => undefined)).program
  })
  itRunsFunctions('bun', () => program)
})

describe('functions on a real node', function () {
  this.timeout(imagesMs + patienceMs)
  let running: Start
  let client: Client
  let cluster: ClusterClient
  let project: string
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-functions-'))

  before(async () => {
    await makeServersOf('node')
    running = new Start('--cluster', 'node', '--data', dataDir, '--port', String(await freePort()))
    await running.untilServed()
    const baseUrl = /svc +(http:\S+)/.exec(running.output)?.[1] ?? ''
    const password = /password (\S+)/.exec(running.output)?.[1] ?? ''
    const who = { username: 'admin', password, tokenName: 'functions', expiresInDays: 1, userAgent: 'svc-test' }
    client = createClient({ baseUrl, token: await signInByPassword({ baseUrl, ...who }), userAgent: 'svc-test' })
    cluster = connectCluster({ kubeconfig: kubeconfigPath(join(dataDir, 'node/node'), 'admin') })
    project = (await client.call('projects.create', {})).project
  })
  after(async () => {
    await running?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const create = (name: string, fields: object) =>
    client.call('apps.create', { project, environment: 'production', name, source: 'function', ...fields })
  async function untilState(app: string, wanted: string, within = patienceMs) {
    let last = ''
    const seen = async () => {
      const status = await client.call('apps.status', { app })
      last = `${status.state}: ${status.message}`
      return status.state === wanted
    }
    await eventually(`${app} is ${wanted}`, seen, within).catch((cause: unknown) => {
      throw new Error(`${app} is ${last}; the start said: ${running.output.slice(-1500)}`, { cause })
    })
  }
  /** By the address of its Service. */
  async function ask(app: string, path: string): Promise<string> {
    const service = await cluster.get<KubeObject & { spec: { clusterIP: string } }>({
      type: coreTypes.service,
      namespace: `${project}-production`,
      name: app,
    })
    return await (await fetch(`http://${service?.spec.clusterIP}${path}`)).text()
  }

  for (const runtime of functionRuntimes)
    it(`on ${runtime} answers as its code does, as nobody on a read-only file system`, async () => {
      const app = `fn-${runtime}`
      await create(app, { runtime, code: hello[runtime], deploy: true })
      await untilState(app, 'ready', imagesMs)
      expect(await ask(app, '/there')).to.equal(`${runtime} /there`)
      expect((await client.call('apps.deployments', { app })).items[0]?.image).to.equal(`function:${runtime}`)
    })

  it('can write nothing but /tmp, and has no key of the cluster', async () => {
    const code = `import { existsSync, writeFileSync } from 'node:fs'
      const can = (file) => { try { writeFileSync(file, 'x'); return true } catch { return false } }
      export default () => Response.json({
        uid: process.getuid(), root: can('/x'), code: can('/function/index.mts'), tmp: can('/tmp/x'),
        key: existsSync('/var/run/secrets/kubernetes.io'),
      })`
    await create('fn-hostile', { runtime: 'node', code, deploy: true })
    await untilState('fn-hostile', 'ready')
    expect(JSON.parse(await ask('fn-hostile', '/'))).to.deep.equal({
      uid: 65532,
      root: false,
      code: false,
      tmp: true,
      key: false,
    })
  })

  it('a deploy of code that does not load fails with its log, and what ran before goes on', async () => {
    const app = 'fn-node'
    await client.call('apps.update', { app, functionCode: 'export default (', deploy: true })
    await untilState(app, 'failed', imagesMs)
    expect(await ask(app, '/still')).to.equal('node /still')
    const [latest] = (await client.call('apps.deployments', { app })).items
    const log = JSON.stringify(await client.call('apps.deployment-logs', { app, id: latest?.id ?? '' }))
    expect(log.includes('SyntaxError'), log).to.equal(true)
  })
})
