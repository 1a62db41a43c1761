/** Every page of the dashboard with something on it, for the tests and pictures that go through all of them. */
import type { Page } from 'playwright-core'
import { uniqueName, type TestDashboard } from './dashboard.ts'

export interface NamedPath {
  readonly name: string
  readonly path: string
}

/** What the project has, by the names that it got. */
export interface Filled {
  readonly project: string
  /** A service that runs, with pending changes, variables and two deployments. */
  readonly web: string
  /** A draft that is built from a repository over ssh. */
  readonly site: string
  /** A draft of a function. */
  readonly hello: string
  readonly database: string
  readonly logical: string
  readonly bucket: string
  readonly token: string
  readonly user: string
  readonly paths: readonly NamedPath[]
}

type Ask = (method: string, path: string, json?: unknown) => ReturnType<TestDashboard['ask']>

/** What an api needs for the webhook of the project, which leads to this machine. */
export const filledEnv = { SVC_WEBHOOK_PRIVATE: '1' }

/**
 * Makes a project with services, a database and a bucket, and waits until one service runs.
 *
 * @param named what each is called; pictures have the names alone
 */
export async function fillProject(dashboard: TestDashboard, named = uniqueName): Promise<Filled> {
  const project = await dashboard.project(named('Shop'))
  const cookie = await dashboard.signIn('admin')
  const ask: Ask = async (method, path, json) => {
    const answer = await dashboard.ask(method, `/api/v1${path}`, { cookie, json })
    if (answer.status >= 400) throw new Error(`${method} ${path} answered ${answer.status} ${answer.text}`)
    return answer
  }
  const place = { project, environment: 'production' }
  const [web, site, hello] = [named('web'), named('site'), named('hello')]
  const [database, logical, bucket] = [named('orders'), named('ledger'), named('uploads')]
  const [token, user] = [named('ci'), named('grace')]
  await ask('POST', `/projects/${project}/environments`, { environment: 'staging' })
  await ask('POST', `/projects/${project}/variables/save`, { name: 'LEVEL', value: 'info' })
  await ask('POST', '/apps', { ...place, name: web, image: 'svc/hello:1', replicas: 2, deploy: true })
  await ask('POST', '/apps', { ...place, name: named('worker'), image: 'svc/worker:4', replicas: 3 })
  await ask('POST', '/apps', { ...place, name: site, source: 'git', repository: 'git@git.example.test:shop/site.git' })
  await ask('POST', `/apps/${site}/deploy-key/rotate`, {})
  await ask('POST', `/apps/${site}/git-webhook/rotate`, {})
  await ask('POST', '/apps', { ...place, name: hello, source: 'function', code: 'export default () => 1' })
  await ask('POST', '/databases', { ...place, name: database })
  await ask('POST', '/logical-databases', { ...place, name: logical, server: database, database: 'ledger' })
  await ask('POST', '/object-stores', { ...place, name: bucket, bucket: 'uploads' })
  await ask('POST', '/tokens', { name: token, role: 'admin' })
  await ask('POST', '/users', { username: user, password: 'staple-battery-horse', role: 'viewer' })
  await untilReady(() => ask('GET', `/apps/${web}/status`))
  await ask('PATCH', `/apps/${web}`, { image: 'svc/hello:2' })
  await ask('POST', `/apps/${web}/attach`, { kind: 'database', name: database })
  await ask('POST', `/apps/${web}/config/set`, { key: 'REGION', value: 'eu-central' })
  await ask('POST', `/apps/${web}/secrets/set`, { key: 'API_KEY', value: 'hush' })
  // One message is enough: no server listens there, so it is sent again and again.
  const url = 'http://127.0.0.1:9/hook'
  await ask('POST', `/projects/${project}/webhooks/save`, { url, event: ['deployment.succeeded'] })
  await ask('POST', `/apps/${web}/deploy`, {})
  await untilReady(() => ask('GET', `/apps/${web}/status`))
  await ask('PATCH', `/apps/${web}`, { image: 'svc/hello:3' })
  await ask('POST', `/apps/${web}/config/set`, { key: 'LOG_LEVEL', value: 'debug' })
  const tabs = ['deployments', 'logs', 'terminal', 'metrics', 'variables', 'settings', 'scaling', 'danger']
  const sections = ['domain', 'dns', 'registry', 'githost', 'clouds', 'servers', 'backup', 'tokens', 'users', 'account']
  const paths = [
    { name: 'overview', path: '/' },
    { name: 'project', path: `/projects/${project}` },
    { name: 'create', path: `/projects/${project}/create` },
    { name: 'changes', path: `/projects/${project}/changes` },
    { name: 'project-logs', path: `/projects/${project}/logs` },
    { name: 'project-settings', path: `/projects/${project}/settings` },
    { name: 'service', path: `/services/${web}` },
    ...tabs.map((tab) => ({ name: `service-${tab}`, path: `/services/${web}/${tab}` })),
    { name: 'service-function', path: `/services/${hello}/function` },
    { name: 'git-settings', path: `/services/${site}/settings` },
    { name: 'database', path: `/databases/${database}` },
    { name: 'logical-database', path: `/logical-databases/${logical}` },
    { name: 'bucket', path: `/buckets/${bucket}` },
    { name: 'cluster', path: '/cluster' },
    { name: 'runs', path: '/runs' },
    { name: 'run', path: `/runs/${await runOf(ask, web)}` },
    ...sections.map((section) => ({ name: `settings-${section}`, path: `/settings/${section}` })),
    { name: 'device', path: '/device' },
  ]
  return { project, web, site, hello, database, logical, bucket, token, user, paths }
}

/** The newest run of the service that ended: lists of runs lag a little. */
async function runOf(ask: Ask, service: string): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { body } = await ask('GET', `/runs?kind=app&resource=${service}&outcome=ended`)
    const id: unknown = body.items?.[0]?.id
    if (typeof id === 'string') return id
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  throw new Error('no run of the service is listed')
}

/** After its deploy was accepted the state is no longer that of the one before. */
async function untilReady(read: () => Promise<{ body: { ready?: boolean } }>): Promise<void> {
  for (let tries = 0; (await read()).body.ready !== true; tries += 1) {
    if (tries > 100) throw new Error('the service did not get ready')
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
}

/** The width of a telephone, in pixels. */
export const telephone = 360

/** How wide what is on the page is, in pixels: more than its window has makes it scroll sideways. */
export const widthOf = (page: Page): Promise<number> => page.evaluate<number>('document.documentElement.scrollWidth')

/** Until nothing is loading any more. */
export async function loaded(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor()
  await page.locator('.shimmer').first().waitFor({ state: 'hidden' })
}
