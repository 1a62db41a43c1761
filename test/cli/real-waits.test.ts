/**
 * `--wait` against a real api and worker, for what other servers have a part in: a function that is called, the
 * receiver of a webhook, a cloud (moto) and a DNS provider (a stand-in for Cloudflare).
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { createScheduleStarts } from '../../temporal/client/schedules.ts'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { eventually } from '../cluster/eventually.ts'
import { type CloudflareStandIn, startCloudflareStandIn } from '../harness/cloudflare-api.ts'
import { type Moto, motoWithinMs, useMoto } from '../harness/moto.ts'
import { useStack } from '../harness/stack.ts'
import { useClient } from '../harness/temporal-client.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { startReceiver, type TestReceiver } from '../outside/webhooks/receiver.ts'
import { openDesk, type Desk, type Run } from './run-svc.ts'

const withinMs = 30_000

describe('--wait, against a real api and worker', function () {
  this.timeout(120_000)
  let api: TestApi
  let desk: Desk
  let worker: TestWorker
  let token: string
  let project = ''
  let copies: TestReceiver
  let cloud: TestReceiver
  let moto: Moto
  let provider: CloudflareStandIn

  before(async function () {
    this.timeout(motoWithinMs)
    await withoutWorker()
    ;[moto, copies, cloud, provider] = await Promise.all([
      useMoto(),
      startReceiver(''),
      startReceiver(''),
      startCloudflareStandIn(),
    ])
    const scheduleStarts = createScheduleStarts({ client: await useClient() })
    ;[api, worker] = await Promise.all([
      startTestApi({ scheduleStarts, env: { SVC_WEBHOOK_PRIVATE: '1' } }),
      startTestWorker({ cloudSettleMs: 100 }, 'temporal/main.ts', {
        SVC_FUNCTION_ENDPOINT: `127.0.0.1:${copies.port}`,
        SVC_AWS_ENDPOINT: moto.url,
        SVC_AWS_ATTEMPTS: '1',
        SVC_PLANETSCALE_ENDPOINT: cloud.url,
        SVC_CLOUDFLARE_URL: provider.url,
      }),
    ])
    desk = await openDesk()
    token = await api.token({ name: 'waits', role: 'admin' })
    const made = await ends(0, ['projects', 'create', 'waits', '--wait'])
    project = /proj-[0-9a-f]{8}/.exec(made)?.[0] ?? ''
    expect(made).to.match(new RegExp(`✓ ${project} is ready after `))
  })
  after(async () => {
    if (project !== '') await ends(0, ['projects', 'delete', project, '-y', '--wait'])
    await worker.stop()
    await desk.close()
    await api.stop()
    await Promise.all([copies.stop(), cloud.stop(), provider.stop()])
  })

  const where = () => ['-p', project, '-e', 'production']
  const svc = async (args: readonly string[], input?: string): Promise<Run> =>
    await desk.svc(['--url', api.baseUrl, '--token', token, ...(project === '' ? [] : where()), ...args], {
      realTime: true,
      ...(input === undefined ? {} : { input }),
    })
  /** Both streams; any exit code but the expected one fails with them. */
  const ends = async (code: number, args: readonly string[], input?: string): Promise<string> => {
    const run = await svc(args, input)
    expect(run.code, `svc ${args.join(' ')}\n${run.out}${run.err}`).to.equal(code)
    return run.out + run.err
  }

  it('environments create and projects network end when the cluster has them', async () => {
    const { client } = await useStack()
    const has = async (type: (typeof coreTypes)['namespace'], name: string) =>
      (await client.get({ type, name })) !== undefined
    expect(await ends(0, ['environments', 'create', 'waited', '--wait'])).to.match(/✓ waited is ready after /)
    expect(await has(coreTypes.namespace, `${project}-waited`)).to.equal(true)
    expect(await ends(0, ['projects', 'network', '--isolation', 'Project', '--wait'])).to.match(
      /✓ the network is ready/,
    )
    expect(await ends(0, ['environments', 'archive', 'waited', '-y', '--wait'])).to.match(/✓ waited is gone after /)
    expect(await has(coreTypes.namespace, `${project}-waited`)).to.equal(false)
  })

  describe('functions triggers run', () => {
    const run = async (code: number, ...more: string[]) =>
      await ends(code, ['functions', 'triggers', 'run', 'waited-fn', 'yearly', '--wait', ...more])
    before(async () => {
      const code = 'export default () => new Response()'
      await api.ask('POST', '/api/v1/apps', {
        token,
        json: { project, environment: 'production', name: 'waited-fn', source: 'function', runtime: 'node', code },
      })
      await ends(0, ['functions', 'triggers', 'add', 'waited-fn', 'yearly', '--schedule', '@yearly', '--wait'])
    })
    after(async () => void (await ends(0, ['apps', 'delete', 'waited-fn', '-y', '--wait'])))
    afterEach(() => copies.answer((response) => void response.writeHead(204).end()))

    it('ends with 0 when the function has answered', async () => {
      const before = copies.received.length
      expect(await run(0)).to.match(/Succeeded {2}.*204.*\n✓ yearly is complete after /)
      expect(copies.received).to.have.length(before + 1)
    })
    it('ends with 5 for an answer that is an error, and with 6 while there is none', async () => {
      copies.answer((response) => void response.writeHead(500).end('no luck'))
      expect(await run(5)).to.match(/error: the run of yearly did not succeed: Failed: .*no luck/)
      copies.answer((response) => void setTimeout(() => response.writeHead(204).end(), 3_000))
      expect(await run(6, '--timeout', '1s')).to.include('the run goes on, look with')
      const list = async () => await ends(0, ['functions', 'triggers', 'list', 'waited-fn', '--json'])
      const last = async () =>
        (JSON.parse(await list()) as { items: { runs: { phase: string }[] }[] }).items[0]?.runs[0]?.phase
      await eventually('that run has ended', async () => (await last()) === 'Succeeded', withinMs)
    })
    it('ends with 0 for a project token, which may not listen to changes', async () => {
      const place = { scope: 'project', project, environment: 'production' }
      expect(await run(0, '--token', await api.token({ name: 'ci', ...place }))).to.match(/✓ yearly is complete after /)
    })
  })

  describe('webhooks redeliver', () => {
    let hook: TestReceiver
    let id: string
    const delivered = async (): Promise<string> => {
      let run = ''
      await eventually('a delivery is listed', async () => {
        const listed = await ends(0, ['runs', 'list', '--kind', 'webhook', '--outcome', 'ended', '-q'])
        return (run = listed.split('\n')[0] ?? '') !== ''
      })
      return run
    }
    before(async () => {
      hook = await startReceiver()
      const added = ['webhooks', 'add', '--to', hook.url, '--events', 'deployment.succeeded', '--json']
      id = (JSON.parse(await ends(0, added)) as { id: string }).id
      await ends(0, ['apps', 'create', 'waited-web', '--image', 'nginx:1.29', '--wait'])
    })
    after(async () => {
      await ends(0, ['apps', 'delete', 'waited-web', '-y', '--wait'])
      await hook.stop()
    })

    it('ends with 0 when the event is received once more', async () => {
      const run = await delivered()
      const before = hook.received.length
      expect(await ends(0, ['webhooks', 'redeliver', run, '--wait'])).to.match(/✓ the event is delivered after /)
      expect(hook.received).to.have.length(before + 1)
      expect(hook.received.at(-1)?.id).to.equal(hook.received[0]?.id)
    })
    it('shows the answer to a try, and ends with 5 when the webhook is disabled meanwhile', async () => {
      hook.answer((response) => void response.writeHead(503).end())
      const waiting = svc(['webhooks', 'redeliver', await delivered(), '--wait'])
      const tries = hook.received.length
      await eventually('it is tried', () => hook.received.length > tries + 1, withinMs)
      await ends(0, ['webhooks', 'set', id, '--disabled', 'on'])
      const { code, out, err } = await waiting
      expect(code, out + err).to.equal(5)
      expect(err).to.equal('error: the event was not delivered: its webhook was disabled or deleted meanwhile\n')
    })
  })

  it('clouds create ends when the cloud takes the keys, and with 5 when it refuses them', async () => {
    const { accessKeyId, secretAccessKey } = moto.keys
    const create = (name: string) => ['clouds', 'create', name, '--wait']
    const file = join(await mkdtemp(join(tmpdir(), 'svc-waits-')), 'id')
    await writeFile(file, accessKeyId)
    const aws = ['--provider', 'AWS', '--access-key-id', `@${file}`, '--secret-access-key', '-']
    expect(await ends(0, [...create('waited-aws'), ...aws], secretAccessKey)).to.match(/✓ waited-aws is ready after /)
    cloud.answer((response) =>
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end(JSON.stringify({ code: 'unauthorized', message: 'the token is revoked' })),
    )
    await rm(dirname(file), { recursive: true })
    const planet = ['--provider', 'PlanetScale', '--organization', 'shop', '--service-token', '-']
    expect(await ends(5, [...create('waited-planet'), ...planet], 'id:a-token-of-before')).to.include(
      'error: the check of waited-planet failed: 401: unauthorized: the token is revoked',
    )
  })

  it('settings dns set ends when the provider takes the token, and with 5 when it refuses it', async () => {
    const zone = provider.zone('waited.test')
    const set = ['settings', 'dns', 'set', '--account-id', provider.account, '--zone-id', zone.id, '--zone-name']
    const asked = [...set, 'waited.test', '--api-token', '-', '--wait']
    try {
      expect(await ends(0, asked, provider.token)).to.match(/✓ the DNS provider is ready after /)
      expect(await ends(5, asked, 'a-token-that-is-none')).to.match(
        /error: the check of the DNS provider failed: .*Invalid/,
      )
      expect(await ends(0, asked, provider.token)).to.match(/✓ the DNS provider is ready after /)
    } finally {
      await ends(0, ['settings', 'dns', 'clear', '-y'])
      const { client } = await useStack()
      const account = { type: coreTypes.secret, namespace: systemNamespace, name: 'platform-dns-account' }
      await eventually('the account is forgotten', async () => (await client.get(account)) === undefined, withinMs)
    }
  })
})
