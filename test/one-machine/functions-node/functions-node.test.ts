/** Functions of every runtime on a real node, by `npm start` and the API; the runner on bun as a process, too. */
import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient, type Client } from '../../../client/client.ts'
import { signInByPassword } from '../../../client/password-sign-in.ts'
import { type ClusterClient, connectCluster } from '../../../cluster/client.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { labels } from '../../../kinds/meta/annotations.ts'
import { functionImage, functionRuntimes } from '../../../one-machine/images/functions.ts'
import { kubeconfigPath } from '../../../one-machine/node/certificates.ts'
import { freePort } from '../../../one-machine/processes/ports.ts'
import { eventually } from '../../cluster/eventually.ts'
import { itRunsFunctions } from '../../harness/runner-behaviour.ts'
import { makeServersOf } from '../../harness/servers.ts'
import { Start } from '../started.ts'

const imagesMs = 10 * 60_000
const waitMs = 180_000
const answerWithinMs = 20_000
/** How often, and how far apart, the function beside a hostile one is asked. */
const besideTimes = 10
const besidePauseMs = 300
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
  this.timeout(imagesMs + waitMs)
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
  async function untilState(app: string, wanted: string, within = waitMs) {
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
    const limit = AbortSignal.timeout(answerWithinMs)
    return await (await fetch(`http://${service?.spec.clusterIP}${path}`, { signal: limit })).text()
  }

  for (const runtime of functionRuntimes)
    it(`on ${runtime} answers as its code does, without root on a read-only file system`, async () => {
      const app = `fn-${runtime}`
      await create(app, { runtime, code: hello[runtime], deploy: true })
      await untilState(app, 'ready', imagesMs)
      expect(await ask(app, '/there')).to.equal(`${runtime} /there`)
      expect((await client.call('apps.deployments', { app })).items[0]?.image).to.equal(`function:${runtime}`)
    })

  it('can write nothing but /tmp', async () => {
    const code = `import { writeFileSync } from 'node:fs'
      const can = (file) => { try { writeFileSync(file, 'x'); return true } catch { return false } }
      export default () => Response.json({
        uid: process.getuid(), root: can('/x'), code: can('/function/index.mts'), tmp: can('/tmp/x'),
      })`
    await create('fn-writes', { runtime: 'node', code, deploy: true })
    await untilState('fn-writes', 'ready')
    expect(JSON.parse(await ask('fn-writes', '/'))).to.deep.equal({ uid: 65532, root: false, code: false, tmp: true })
  })

  describe('a hostile one', () => {
    interface Copy extends KubeObject {
      status?: { containerStatuses?: { restartCount: number; lastState?: { terminated?: { reason?: string } } }[] }
    }
    const copyOf = async (app: string) => {
      const place = { namespace: `${project}-production`, labelSelector: `${labels.app}=${app}` }
      return (await cluster.list<Copy>(coreTypes.pod, place)).items[0]?.status?.containerStatuses?.[0]
    }
    /** Asks it once, and the function beside it again and again meanwhile. */
    async function provoke(app: string): Promise<void> {
      const asked = ask(app, '/').catch(() => undefined) // it answers late or never
      for (let times = 0; times < besideTimes; times += 1) {
        expect(await ask('fn-python', `/${times}`)).to.equal(`python /${times}`)
        await delay(besidePauseMs)
      }
      await asked
    }
    const restarts = (app: string) =>
      eventually(`${app} is ended by its limit`, async () => ((await copyOf(app))?.restartCount ?? 0) > 0, waitMs)
    const deployed = async (name: string, runtime: 'node' | 'python', code: string) => {
      await create(name, { runtime, code, deploy: true })
      await untilState(name, 'ready')
    }

    it('finds no file of a service account', async () => {
      const code = `import { readdirSync, readFileSync } from 'node:fs'
        const found = (look) => { try { return look() } catch (error) { return error.code } }
        export default () => Response.json([
          ...['/var/run/secrets', '/run/secrets', '/var/run/secrets/kubernetes.io/serviceaccount'].map((folder) =>
            found(() => readdirSync(folder))),
          found(() => readFileSync('/var/run/secrets/kubernetes.io/serviceaccount/token', 'utf8')),
        ])`
      await deployed('fn-reads', 'node', code)
      expect(JSON.parse(await ask('fn-reads', '/'))).to.deep.equal(['ENOENT', 'ENOENT', 'ENOENT', 'ENOENT'])
    })

    it('gets nothing from the API server', async () => {
      const code = `import { get } from 'node:https'
        const paths = ['/api/v1/secrets', '/api/v1/namespaces/svc-system/secrets', '/apis/svc.svc.dev/v1alpha1/svcapps']
        const host = process.env.KUBERNETES_SERVICE_HOST ?? 'kubernetes.default.svc'
        const call = (path) => new Promise((resolve) =>
          get({ host, port: 443, path, rejectUnauthorized: false, timeout: 5000 }, (answer) => resolve(answer.statusCode))
            .on('timeout', function () { this.destroy() })
            .on('error', () => resolve('unreachable')))
        export default async () => Response.json(await Promise.all(paths.map(call)))`
      await deployed('fn-calls', 'node', code)
      const answers = JSON.parse(await ask('fn-calls', '/')) as unknown[]
      expect(answers).to.have.length(3)
      for (const answer of answers) expect(answer).to.be.oneOf(['unreachable', 401, 403])
    })

    it('that loops without end leaves the time of others alone, and other code takes its place', async () => {
      await deployed('fn-loops', 'node', 'export default () => { for (;;); }')
      await provoke('fn-loops')
      await client.call('apps.update', { app: 'fn-loops', functionCode: hello.node, deploy: true })
      await eventually('it answers', async () => (await ask('fn-loops', '/')) === 'node /', waitMs)
    })

    it('that takes memory without end is ended by its limit, and starts again', async () => {
      const code = 'const kept = []; export default () => { for (;;) kept.push(Buffer.alloc(1 << 20, 1)) }'
      await deployed('fn-takes', 'node', code)
      await provoke('fn-takes')
      await restarts('fn-takes')
      expect((await copyOf('fn-takes'))?.lastState?.terminated?.reason).to.equal('OOMKilled')
    })

    it('that forks without end is ended by its limit, and starts again', async () => {
      const code = [
        'import os, time',
        'def handler(request):',
        '    while True:',
        '        if os.fork() == 0:',
        '            while True:',
        '                time.sleep(60)',
      ].join('\n')
      await deployed('fn-forks', 'python', code)
      await provoke('fn-forks')
      await restarts('fn-forks')
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
