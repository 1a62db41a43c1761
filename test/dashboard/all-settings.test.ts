/** Settings that a page has beside those of the lifecycle tests: saved, and read again as the api has them. */
import { expect } from 'chai'
import { kubectl } from '../harness/kubectl.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('further settings in the dashboard', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let project: string
  let view: View
  const [web, orders] = [uniqueName('web'), uniqueName('orders')]

  before(async () => {
    // Without a worker: what is saved stays as it is.
    dashboard = await startTestDashboard({}, async () => undefined)
    project = await dashboard.project('Further')
    const place = { project, environment: 'production' }
    await ask('POST', '/apps', { ...place, name: web, image: 'svc/hello:1' })
    await ask('POST', '/databases', { ...place, name: orders })
    view = await dashboard.open(`/services/${web}/settings`)
  })
  after(() => dashboard?.stop())
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  async function ask(method: string, path: string, json?: unknown) {
    const answer = await dashboard.ask(method, `/api/v1${path}`, { cookie: await dashboard.signIn('admin'), json })
    expect(answer.status, answer.text).to.equal(200)
    return answer.body
  }
  const region = (name: string) => view.page.getByRole('region', { name, exact: true })
  async function save(panel: string, button: string): Promise<void> {
    await region(panel).getByRole('button', { name: button }).click()
    await region(panel)
      .getByRole('status')
      .getByText(/^(Saved|Applied)$/)
      .waitFor()
  }

  it('of a service: its nodes, and how long and how often a probe waits', async () => {
    await region('Nodes').getByLabel('Node tags').fill('ssd\nfast')
    await save('Nodes', 'Save')
    const probes = region('Start and probes')
    await probes.getByLabel('Readiness probe: path').fill('/ready')
    await probes.getByLabel('Readiness probe: an answer takes at most (s)').fill('7')
    await probes.getByLabel('Readiness probe: misses in a row that count').fill('5')
    await save('Start and probes', 'Save')
    const { spec } = await ask('GET', `/apps/${web}`)
    expect(spec.runOn.tags).to.have.members(['ssd', 'fast'])
    expect(spec.deploy.readinessProbe).to.deep.include({ path: '/ready', timeoutSeconds: 7, failureThreshold: 5 })
  })

  it('of a service, at once: taking back deploys, the most copies', async () => {
    await view.page.goto(`${dashboard.baseUrl}/services/${web}/scaling`)
    await region('Deploys').getByLabel('Take back a deploy that fails').check()
    await save('Deploys', 'Apply')
    await region('Sleep when idle').getByLabel('Stop all copies while no request comes').check()
    await region('Sleep when idle').getByLabel('Copies at most while it is awake').fill('3')
    await save('Sleep when idle', 'Apply')
    const { spec } = await ask('GET', `/apps/${web}`)
    expect(spec.deploy.rollbackOnFailure).to.equal(true)
    expect(spec.scaleToZero.maxReplicas).to.equal(3)
  })

  it('of a database: its nodes and copies, of which two are refused beside the field', async () => {
    await view.page.goto(`${dashboard.baseUrl}/databases/${orders}`)
    await region('Settings').getByLabel('Copies').fill('2')
    await region('Settings').getByText('clusterSize must be 1, or a whole number from 3 to 9').waitFor()
    await region('Settings').getByLabel('Copies').fill('3')
    await region('Settings').getByLabel('Node tags').fill('ssd')
    await save('Settings', 'Save')
    const { spec } = await ask('GET', `/databases/${orders}`)
    expect([spec.instances, spec.highAvailability, spec.runOn.tags]).to.deep.equal([3, true, ['ssd']])
  })

  it('of an environment that there is not: nothing is asked for, and those that there are lead on', async () => {
    const { page } = view
    await page.goto(`${dashboard.baseUrl}/projects/${project}/create?environment=nowhere&form=Bucket`)
    await page.getByText('Further has no environment nowhere').waitFor()
    expect(await page.getByRole('main').getByRole('button').count()).to.equal(0)
    await page.getByRole('main').getByRole('link', { name: 'production' }).click()
    await page.getByText('in Further / production').waitFor()
    await page.getByRole('button', { name: 'Create the bucket' }).waitFor()
  })

  it('of a bucket in a cloud account, which can be deleted without asking the cloud', async () => {
    const { page } = view
    const [account, bucket] = [uniqueName('account'), uniqueName('media')]
    const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
    const form = { name: account, project, provider: 'AWS', ...keys }
    const cookie = await dashboard.signIn('admin')
    const made = await dashboard.ask('POST', '/api/cloud-connections/create', { cookie, form })
    expect(made.status, made.text).to.equal(200)
    await page.goto(`${dashboard.baseUrl}/projects/${project}/create`)
    await page.getByRole('radiogroup', { name: 'What to create' }).getByText('Bucket', { exact: true }).click()
    await page.getByRole('textbox', { name: 'Bucket', exact: true }).fill(bucket)
    await page.getByLabel('Name', { exact: true }).fill(bucket)
    await page.getByLabel('Where', { exact: true }).selectOption(account)
    await page.getByLabel('Region').fill('eu-central-1')
    await page.getByLabel('Deploy at once').uncheck()
    await page.getByRole('button', { name: 'Create the bucket' }).click()
    await page.getByRole('heading', { name: bucket, level: 1 }).waitFor()
    const { spec } = await ask('GET', `/object-stores/${bucket}`)
    expect([spec.placement, spec.connectionRef.name, spec.region, spec.createBucket]).to.deep.equal([
      ...['External', account, 'eu-central-1'],
      true,
    ])
    const status = { remote: { connection: account, user: `svc-${bucket}`, made: [bucket] } }
    await kubectl([
      ...['patch', 'svcobjectstore', bucket, '-n', 'svc-system', '--subresource=status', '--type=merge'],
      ...['-p', JSON.stringify({ status })],
    ])
    await page.getByRole('button', { name: 'Delete this bucket' }).click()
    const abandon = page.getByLabel('Delete it without asking the cloud')
    expect(await abandon.isChecked()).to.equal(false)
    await abandon.check()
    await page.getByLabel(`Type ${bucket} to delete the bucket`).fill(bucket)
    await page.getByRole('button', { name: `Delete ${bucket}` }).click()
    await page.waitForURL(`**/projects/${project}`)
    await page
      .getByText(
        `It was abandoned. What may still be in the cloud, and cost: bucket ${bucket}; user svc-${bucket} with`,
      )
      .waitFor()
    // Its page read the deleted bucket once more.
    view.complaints.splice(0, view.complaints.length, ...view.complaints.filter((each) => !each.includes('404')))
  })

  it('of a database that is made in a cloud account', async () => {
    const { page } = view
    const [account, books] = [uniqueName('scale'), uniqueName('books')]
    const form = { name: account, project, provider: 'PlanetScale', token: 'pscale_tkn', organization: 'shop' }
    const cookie = await dashboard.signIn('admin')
    const made = await dashboard.ask('POST', '/api/cloud-connections/create', { cookie, form })
    expect(made.status, made.text).to.equal(200)
    await page.goto(`${dashboard.baseUrl}/projects/${project}/create`)
    await page.getByRole('radiogroup', { name: 'What to create' }).getByText('Database', { exact: true }).click()
    await page.getByLabel('Engine').selectOption('mysql')
    await page.getByLabel('Where', { exact: true }).selectOption(account)
    await page.getByLabel('Name', { exact: true }).fill(books)
    await page.getByLabel('First database').fill('library')
    expect(await page.getByLabel('Node tags').count(), 'of the cluster alone').to.equal(0)
    await page.getByLabel('Deploy at once').uncheck()
    await page.getByRole('button', { name: 'Create the database' }).click()
    await page.getByRole('heading', { name: books, level: 1 }).waitFor()
    const { spec } = await ask('GET', `/databases/${books}`)
    expect([spec.placement, spec.provider, spec.connectionRef.name, spec.databaseName]).to.deep.equal([
      ...['External', 'PlanetScale'],
      account,
      'library',
    ])
  })
})
