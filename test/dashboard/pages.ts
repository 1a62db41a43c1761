/** Every page of the dashboard with something on it, for the tests and pictures that go through all of them. */
import type { Page } from 'playwright-core'
import { uniqueName, type TestDashboard } from './dashboard.ts'

export interface NamedPath {
  readonly name: string
  readonly path: string
}

type Ask = (method: string, path: string, json: unknown) => ReturnType<TestDashboard['ask']>

/** Makes a project with services, a database and a bucket, and waits until one service runs. */
export async function fillProject(dashboard: TestDashboard): Promise<readonly NamedPath[]> {
  const project = await dashboard.project('Shop')
  const cookie = await dashboard.signIn('admin')
  const ask: Ask = (method, path, json) => dashboard.ask(method, `/api/v1${path}`, { cookie, json })
  const place = { project, environment: 'production' }
  const web = uniqueName('web')
  const [database, bucket] = [uniqueName('orders'), uniqueName('uploads')]
  await ask('POST', '/apps', { ...place, name: web, image: 'svc/hello:1', replicas: 2, deploy: true })
  await ask('POST', '/apps', { ...place, name: uniqueName('worker'), image: 'svc/worker:4', replicas: 3 })
  await ask('POST', '/databases', { ...place, name: database })
  const logical = uniqueName('ledger')
  await ask('POST', '/logical-databases', { ...place, name: logical, server: database, database: 'ledger' })
  await ask('POST', '/object-stores', { ...place, name: bucket, bucket: 'uploads' })
  await ask('POST', `/apps/${web}/attach`, { kind: 'database', name: database })
  await untilReady(() => ask('GET', `/apps/${web}/status`, undefined))
  await ask('PATCH', `/apps/${web}`, { image: 'svc/hello:2' })
  await ask('POST', `/apps/${web}/config/set`, { key: 'LOG_LEVEL', value: 'debug' })
  const tabs = ['deployments', 'logs', 'terminal', 'metrics', 'variables', 'settings', 'scaling', 'danger']
  const sections = ['domain', 'dns', 'registry', 'githost', 'clouds', 'backup', 'tokens', 'users', 'account']
  return [
    { name: 'overview', path: '/' },
    { name: 'project', path: `/projects/${project}` },
    { name: 'create', path: `/projects/${project}/create` },
    { name: 'changes', path: `/projects/${project}/changes` },
    { name: 'project-logs', path: `/projects/${project}/logs` },
    { name: 'project-settings', path: `/projects/${project}/settings` },
    { name: 'service', path: `/services/${web}` },
    ...tabs.map((tab) => ({ name: `service-${tab}`, path: `/services/${web}/${tab}` })),
    { name: 'database', path: `/databases/${database}` },
    { name: 'logical-database', path: `/logical-databases/${logical}` },
    { name: 'bucket', path: `/buckets/${bucket}` },
    { name: 'cluster', path: '/cluster' },
    { name: 'runs', path: '/runs' },
    { name: 'run', path: `/runs/${await runOf(ask, web)}` },
    ...sections.map((section) => ({ name: `settings-${section}`, path: `/settings/${section}` })),
    { name: 'device', path: '/device' },
  ]
}

/** The newest run of the service that ended: lists of runs lag a little. */
async function runOf(ask: Ask, service: string): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { body } = await ask('GET', `/runs?kind=app&resource=${service}&outcome=ended`, undefined)
    const id: unknown = body.items?.[0]?.id
    if (typeof id === 'string') return id
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  throw new Error('no run of the service is listed')
}

async function untilReady(read: () => Promise<{ body: { ready?: boolean } }>): Promise<void> {
  for (let tries = 0; (await read()).body.ready !== true; tries += 1) {
    if (tries > 100) throw new Error('the service did not get ready')
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
}

/** Until nothing is loading any more. */
export async function loaded(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor()
  await page.locator('.shimmer').first().waitFor({ state: 'hidden' })
}
