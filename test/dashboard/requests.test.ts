/** What an open page asks for after a change of a record: what it shows of that record, each once, and nothing else. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { kubectl } from '../harness/kubectl.ts'
import { useStack } from '../harness/stack.ts'
import { startTestDashboard, uniqueName, type TestDashboard } from './dashboard.ts'

/** Longer than it takes until a change was sent and read. */
const quietMs = 900
/** Read again by time, or a while after what changes. */
const byTime = /\/(metrics|capacity|usage)$/

interface Watched {
  readonly page: Page
  /** Paths below /api/ that were asked for since the last call, in order. */
  readonly asked: () => string[]
}

describe('the requests of an open page', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let project: string
  const [web, mail, other, orders] = [uniqueName('web'), uniqueName('mail'), uniqueName('far'), uniqueName('orders')]
  const pages = {} as Record<'overview' | 'project' | 'service' | 'deployments', Watched>

  before(async () => {
    // Without a worker nothing changes but what the test changes.
    dashboard = await startTestDashboard({}, async () => undefined)
    project = await dashboard.project('Counted')
    const place = { project, environment: 'production' }
    for (const name of [web, mail]) await ask('POST', '/apps', { ...place, name, image: 'svc/hello:1' })
    await ask('POST', '/databases', { ...place, name: orders })
    const elsewhere = { project: await dashboard.project('Elsewhere'), environment: 'production' }
    await ask('POST', '/apps', { ...elsewhere, name: other, image: 'svc/hello:1' })
    await ask('POST', `/apps/${web}/deploy`, {})
    pages.overview = await watch('/')
    pages.project = await watch(`/projects/${project}`)
    pages.service = await watch(`/services/${web}`)
    pages.deployments = await watch(`/services/${web}/deployments`)
    await quiet()
    for (const { asked } of Object.values(pages)) asked()
  })
  after(() => dashboard?.stop())

  const quiet = () => new Promise((resolve) => setTimeout(resolve, quietMs))
  async function ask(method: string, path: string, json: unknown): Promise<void> {
    const answer = await dashboard.ask(method, `/api/v1${path}`, { cookie: await dashboard.signIn('admin'), json })
    expect(answer.status, answer.text).to.equal(200)
  }
  async function watch(path: string): Promise<Watched> {
    const { page } = await dashboard.open(path)
    let paths: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/') && !byTime.test(pathname)) paths.push(pathname.replace(/^\/api\/(v1\/)?/, ''))
    })
    await page.getByText('Live', { exact: true }).waitFor()
    await page.locator('main h1').first().waitFor()
    return {
      page,
      asked() {
        const seen = paths
        paths = []
        return seen.toSorted()
      },
    }
  }
  /** What each page asked for after the change. */
  async function causedBy(change: () => Promise<unknown>) {
    await change()
    await quiet()
    return Object.fromEntries(Object.entries(pages).map(([name, { asked }]) => [name, asked()]))
  }
  const patchStatus = (name: string, status: object) =>
    kubectl([
      ...['patch', 'svcapp', name, '-n', 'svc-system', '--subresource=status', '--type=merge'],
      ...['-p', JSON.stringify({ status })],
    ])

  it('are of the service and the lists that show it when only its status changed', async () => {
    expect(await causedBy(() => patchStatus(web, { url: 'http://one.example.test' }))).to.deep.equal({
      overview: ['apps'],
      project: ['apps'],
      service: [
        `apps/${web}`,
        `apps/${web}/copies`,
        `apps/${web}/deployments/${await attempt()}/logs`,
        `apps/${web}/status`,
      ],
      deployments: [`apps/${web}`, `apps/${web}/status`],
    })
  })

  it('are none on the page of another service', async () => {
    const { service, deployments } = await causedBy(() => patchStatus(mail, { url: 'http://two.example.test' }))
    expect([service, deployments]).to.deep.equal([[], []])
  })

  it('are one for a service of another project, whose events do not name its project', async () => {
    const { project: asked } = await causedBy(() => patchStatus(other, { url: 'http://three.example.test' }))
    expect(asked).to.deep.equal(['apps'])
  })

  it('read the connections again when the settings changed, and not when a label did', async () => {
    const renamed = await causedBy(() => ask('POST', `/apps/${mail}/display-name`, { displayName: 'Mail' }))
    expect(renamed.project).to.deep.equal(['apps'])
    const connected = await causedBy(() => ask('POST', `/apps/${mail}/attach`, { kind: 'database', name: orders }))
    expect(connected.project).to.deep.equal(['apps', `projects/${project}/connections`])
  })

  it('are one of each kind for a deploy; its log and the list of deployments are read once more with its record', async () => {
    const seen = await causedBy(() => ask('POST', `/apps/${web}/deploy`, {}))
    expect([seen.overview, seen.project]).to.deep.equal([['apps'], ['apps']])
    const isOfRecord = (path: string): boolean => /\/(logs|deployments)$/.test(path)
    expect(seen.service?.filter((path) => !isOfRecord(path))).to.deep.equal([
      `apps/${web}`,
      `apps/${web}/copies`,
      `apps/${web}/status`,
    ])
    const id = await attempt()
    for (const path of [`apps/${web}/deployments`, `apps/${web}/deployments/${id}/logs`])
      expect(
        seen.service?.filter((each) => each === path),
        path,
      ).to.have.length.within(1, 2)
    expect(seen.deployments?.filter((path) => !path.endsWith('/deployments'))).to.deep.equal([
      `apps/${web}`,
      `apps/${web}/status`,
    ])
  })

  it('are one for the usage of the cluster, for all that changes within seconds', async () => {
    const { page } = await watch('/')
    await quiet()
    let times = 0
    page.on('request', (request) => void (times += Number(new URL(request.url()).pathname.endsWith('/usage'))))
    await causedBy(() =>
      Promise.all([web, mail, other].map((name) => patchStatus(name, { url: `http://${name}.test` }))),
    )
    await eventually('the usage is read', async () => times > 0)
    await quiet()
    expect(times).to.equal(1)
  })

  it('are of the change stream alone while nothing changes', async () => {
    expect(await causedBy(async () => undefined)).to.deep.equal({
      overview: [],
      project: [],
      service: [],
      deployments: [],
    })
  })

  it('are each one after a save of its own, and only of what that changed', async () => {
    const { page, asked } = await watch(`/services/${web}/variables`)
    await quiet()
    asked()
    await page.getByLabel('Name', { exact: true }).fill('LEVEL')
    await page.getByLabel('Value', { exact: true }).fill('debug')
    await page.getByRole('button', { name: 'Set' }).click()
    await page.getByRole('row').filter({ hasText: 'LEVEL' }).waitFor()
    await quiet()
    expect(asked()).to.deep.equal([
      `apps/${web}`,
      `apps/${web}/config/set`,
      `apps/${web}/pending`,
      `apps/${web}/status`,
      `apps/${web}/variables`,
    ])
  })

  it('are of the deployments of a service only while it may run something else than what is saved', async () => {
    const name = uniqueName('calm')
    await ask('POST', '/apps', { project, environment: 'production', name, image: 'svc/hello:1', deploy: true })
    const { client } = await useStack()
    const ref = { type: resourceTypes.app, namespace: systemNamespace, name }
    const app = await client.get<App>(ref)
    if (app === undefined) throw new Error('the service is gone')
    const { intent, attempt: accepted } = viewOf(app)
    const at = new Date().toISOString()
    const conditions = [{ type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: at }]
    const lastAttempt = { id: accepted?.record, phase: 'Succeeded', startedAt: at, completedAt: at }
    const status = { observedIntent: intent, acceptedIntent: intent, conditions, lastAttempt }
    await client.patch<App>(ref, { status }, { subresource: 'status' })
    const { page, asked: seen } = await watch('/')
    await page.goto(`${dashboard.baseUrl}/services/${name}`)
    await page.getByText('svc/hello:1').first().waitFor()
    await quiet()
    expect(seen()).to.include(`apps/${name}/copies`).and.not.include(`apps/${name}/deployments`)
    await ask('PATCH', `/apps/${name}`, { image: 'svc/hello:2' })
    await eventually('its deployments are read', async () => seen().includes(`apps/${name}/deployments`))
  })

  async function attempt(): Promise<string> {
    const cookie = await dashboard.signIn('admin')
    const { body } = await dashboard.ask('GET', `/api/v1/apps/${web}/status`, { cookie })
    return String(body.lastAttempt?.id)
  }
})
