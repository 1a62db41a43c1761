/** What an install gives the api and the worker: definitions, and logins with exactly the rights that they need. */
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { connectCluster } from '../../cluster/client.ts'
import { isForbidden } from '../../cluster/objects/errors.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { saveDnsProvider } from '../../records/settings/dns-provider.ts'
import { saveDomain } from '../../records/settings/domain.ts'
import { clearSetting } from '../../records/settings/save-setting.ts'
import { freePort } from '../../one-machine/processes/index.ts'
import { eventually } from '../cluster/eventually.ts'
import { type CloudflareStandIn, startCloudflareStandIn } from '../harness/cloudflare-api.ts'
import { createApp, createProject, deploy, untilGone, untilState, useRecords } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import { scaledLimit } from '../harness/time-limits.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const readyWithinMs = 20_000
const waitMs = 60_000

describe('an install with logins of its own', function () {
  this.timeout(240_000)
  let logins = ''
  let worker: TestWorker | undefined
  let provider: CloudflareStandIn

  before(async () => {
    const { kubeconfig } = await useStack()
    logins = await mkdtemp(join(tmpdir(), 'svc-logins-'))
    await run(process.execPath, [join(root, 'deploy/install.ts'), '--kubeconfig', kubeconfig, '--logins', logins])
    await withoutWorker()
    provider = await startCloudflareStandIn()
    const exposed = {
      SVC_CLOUDFLARE_URL: provider.url,
      SVC_PUBLIC_ADDRESSES: '192.0.2.1',
      SVC_DASHBOARD_SERVICE: 'kubernetes-is-elsewhere',
    }
    worker = await startTestWorker({}, 'temporal/main.ts', { KUBECONFIG: login('worker'), ...exposed })
  })
  after(async () => {
    await worker?.stop()
    await provider.stop()
    await rm(logins, { recursive: true, force: true })
  })

  const login = (process: 'api' | 'worker') => join(logins, process, 'kubeconfig')

  it('writes logins that no other user may read', async () => {
    for (const process of ['api', 'worker'] as const) expect((await stat(login(process))).mode & 0o777).to.equal(0o600)
  })

  it('can be repeated', async () => {
    const { kubeconfig } = await useStack()
    const { stdout } = await run(process.execPath, [join(root, 'deploy/install.ts'), '--kubeconfig', kubeconfig])
    expect(stdout).to.include('are installed').and.not.include('logins')
  })

  it('says in one line what is wrong with a kubeconfig', async () => {
    const missing = run(process.execPath, [join(root, 'deploy/install.ts'), '--kubeconfig', join(logins, 'none')])
    const error = await missing.then(
      () => undefined,
      (cause: { code: number; stderr: string }) => cause,
    )
    expect(error?.code).to.equal(1)
    expect(error?.stderr.trim().split('\n')).to.have.lengthOf(1)
  })

  it('keeps the Secrets of other namespaces from the login of the api', async () => {
    const client = connectCluster({ kubeconfig: login('api') })
    try {
      await client.list(coreTypes.secret, { namespace: systemNamespace })
      const refused = await client.list(coreTypes.secret, { namespace: 'kube-system' }).then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(isForbidden(refused)).to.equal(true)
    } finally {
      await client.close()
    }
  })

  it('lets a worker set up a project, deploy a service and take it down again', async () => {
    const records = await useRecords()
    const app = await createApp(records, await createProject(records), { replicas: 2, configData: { COLOUR: 'green' } })
    await deploy(records, app)
    const ready = await untilState(records, app, 'ready')
    await records.apps.remove(app.metadata.name, ready.metadata.uid ?? '')
    await untilGone(records, app)
  })

  it('lets a worker keep DNS records and a tunnel (a stand-in for Cloudflare), and tell how the domain is', async () => {
    const { client } = await useStack()
    const { account: accountId, token: apiToken } = provider
    provider.zone('install.test')
    const config = { type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' }
    const reasons = async () =>
      (await client.get<PlatformConfig>(config))?.status?.conditions?.map(({ reason }) => reason) ?? []
    try {
      await saveDomain({ client }, { rootDomain: 'install.test', dashboardExposure: 'ingress' })
      await saveDnsProvider(
        { client },
        { accountId, apiToken, zoneName: undefined, zones: undefined, zoneId: undefined, keepExisting: false },
      )
      await eventually('records are kept', async () => (await reasons()).includes('Connected'), waitMs)
      await saveDomain({ client }, { dashboardExposure: 'cloudflare-tunnel' })
      await eventually('the tunnel is up', async () => (await reasons()).includes('Ready'), waitMs)
    } finally {
      await clearSetting({ client }, 'dns-provider')
      const account = { type: coreTypes.secret, namespace: systemNamespace, name: 'platform-dns-account' }
      await eventually('all of it is taken away', async () => (await client.get(account)) === undefined, waitMs)
      await client.delete(config)
    }
    expect(provider.zone('install.test').records).to.deep.equal([])
  })

  it('lets an api fill its caches and serve', async () => {
    const { temporalAddress } = await useStack()
    const port = await freePort(undefined)
    const env = {
      ...process.env,
      KUBECONFIG: login('api'),
      SVC_TEMPORAL_ADDRESS: temporalAddress,
      SVC_PORT: String(port),
    }
    const api = spawn(process.execPath, [join(root, 'api/main.ts')], { env, stdio: 'ignore' })
    try {
      expect(await answers(`http://127.0.0.1:${port}/healthz`)).to.equal(true)
    } finally {
      api.kill()
    }
  })

  it('finds a worker that polls, and reports that there is none', async () => {
    const { temporalAddress } = await useStack()
    const check = (namespace: string) => {
      const env = { ...process.env, SVC_TEMPORAL_ADDRESS: temporalAddress, SVC_TEMPORAL_NAMESPACE: namespace }
      return run(process.execPath, [join(root, 'deploy/check-worker.ts')], { env }).then(
        () => 0,
        (error: { code: number }) => error.code,
      )
    }
    expect(await check('svc')).to.equal(0)
    expect(await check('elsewhere')).to.equal(1)
  })
})

async function answers(url: string): Promise<boolean> {
  const deadline = Date.now() + scaledLimit(readyWithinMs)
  while (Date.now() < deadline) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok === true) return true
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return false
}
