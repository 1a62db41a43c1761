/** The servers of the cluster, which buckets and logical databases of all projects need: set up, seen and deleted. */
import { expect } from 'chai'
import { effectiveStoreSpec } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { provisionIntent } from '../../kinds/provision/state.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { kubectl } from '../harness/kubectl.ts'
import { violations } from './axe.ts'
import { loaded } from './pages.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

const server = 'object-server'
const lacking = 'Set up the MinIO server in cluster settings first'

describe('the servers of the cluster in the dashboard', function () {
  this.timeout(180_000)
  let dashboard: TestDashboard
  let project: string
  let view: View
  const bucket = uniqueName('uploads')

  before(async () => {
    // Without a worker: the state is what this test writes.
    dashboard = await startTestDashboard({}, async () => undefined)
    // Buckets that other files left would keep the object server.
    await forgetRecords()
    project = await dashboard.project('Served')
    const json = { project, environment: 'production', name: bucket, bucket: 'uploads', deploy: true }
    expect((await ask('POST', '/object-stores', json)).status).to.equal(200)
    view = await dashboard.open(`/projects/${project}/create?form=Bucket`)
  })
  after(async () => {
    await dashboard?.stop()
  })
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  const ask = async (method: string, path: string, json?: unknown) =>
    dashboard.ask(method, `/api/v1${path}`, { cookie: await dashboard.signIn('admin'), json })
  const region = (name: string, page = view.page) => page.getByRole('region', { name, exact: true })

  /** Writes the state as a worker would, of the record as it is. */
  async function state(name: string, status: 'True' | 'False', reason: string, message: string): Promise<void> {
    const record = JSON.parse(
      await kubectl(['get', 'svcobjectstore', name, '-n', 'svc-system', '-o', 'json']),
    ) as ObjectStore
    const intent = provisionIntent(record, effectiveStoreSpec(record))
    const ready = { type: 'Ready', status, reason, message, lastTransitionTime: new Date().toISOString() }
    const kept = { acceptedIntent: intent, ...(reason === 'ReconcileError' ? {} : { observedIntent: intent }) }
    await kubectl([
      ...['patch', 'svcobjectstore', name, '-n', 'svc-system', '--subresource=status', '--type=merge'],
      ...['-p', JSON.stringify({ status: { ...kept, conditions: [ready] } })],
    ])
  }

  it('are asked for by a bucket that waits for one, which leads to where it is set up', async () => {
    const { page } = view
    await page.getByText('A bucket on the cluster waits until there is an object server.').waitFor()
    await state(bucket, 'False', 'ReconcileError', lacking)
    await page.goto(`${dashboard.baseUrl}/buckets/${bucket}`)
    await page.getByTestId('sentence').getByText(lacking).waitFor()
    await page.getByRole('link', { name: 'Set it up' }).click()
    await page.waitForURL('**/settings/servers#object-server')
    await region('Object server').getByText('None yet: buckets on the cluster wait for it.').waitFor()
    expect(await violations(page)).to.deep.equal([])
  })

  it('show a viewer that there is none, without a form', async () => {
    const { page, complaints } = await dashboard.open('/settings/servers', 'viewer')
    await region('Object server', page).getByText('No object server yet').waitFor()
    await region('Shared database servers', page).getByText('No shared server yet').waitFor()
    expect(await page.getByRole('main').getByRole('button').count()).to.equal(0)
    expect(complaints).to.deep.equal([])
  })

  it('make the object server of fields that are judged in the words of the api, and say how it is', async () => {
    const form = region('Object server')
    await form.getByLabel('CPU').fill('lots')
    await form.getByText('cpu must be a quantity such as 250m or 1').waitFor()
    await form.getByLabel('CPU').fill('100m')
    await form.getByLabel('Memory').fill('128Mi')
    await form.getByLabel('Node tags').fill('Not A Tag')
    await form.getByText(/^a node tag must use lowercase letters, digits, and hyphens/).waitFor()
    await form.getByLabel('Node tags').fill(uniqueName('nowhere'))
    await form.getByLabel('Label').fill('files')
    await form.getByRole('button', { name: 'Create the object server' }).click()
    await form.getByRole('alert').waitFor()
    await view.expectComplaint('400')
    expect((await ask('GET', `/object-stores/${server}`)).status, 'refused without a node').to.equal(404)
    await form.getByLabel('Node tags').fill('')
    await form.getByRole('button', { name: 'Create the object server' }).click()
    await form.getByText('files').waitFor()
    await form.getByText('Being set up: waiting for provisioning.').waitFor()
    const { spec } = (await ask('GET', `/object-stores/${server}`)).body
    expect(spec.resources.requests).to.deep.equal({ cpu: '100m', memory: '128Mi' })
    await state(server, 'False', 'ProvisionFailed', 'its volume is lost')
    await form.getByText('It failed: its volume is lost.').waitFor()
    await state(server, 'True', 'ObjectStoreReady', 'ready')
    await form.getByText('Object server is ready.').waitFor()
    expect(await violations(view.page)).to.deep.equal([])
  })

  it('have a page with what applies at once and without a deploy, which a viewer reads', async () => {
    await region('Object server').getByRole('link', { name: 'Open files' }).click()
    const { page } = view
    await page.getByText('Object server is ready.').waitFor()
    expect(await page.getByRole('button', { name: 'Deploy' }).count()).to.equal(0)
    const settings = region('Settings')
    await settings.getByLabel('Memory').fill('256Mi')
    await settings.getByRole('button', { name: 'Save' }).click()
    await settings.getByRole('status').getByText('Saved').waitFor()
    expect((await ask('GET', `/object-stores/${server}`)).body.spec.resources.requests.memory).to.equal('256Mi')
    const viewer = await dashboard.open(`/buckets/${server}`, 'viewer')
    await loaded(viewer.page)
    await region('Settings', viewer.page).getByText('Only administrators see and change these settings.').waitFor()
    expect(viewer.complaints).to.deep.equal([])
  })

  it('delete it by its name once no bucket is on it, and lead back to where one is set up', async () => {
    const { page } = view
    await page.getByRole('button', { name: 'Delete this object server' }).click()
    await page.getByLabel(`Type ${server} to delete the object server`).fill(server)
    const confirm = page.getByRole('button', { name: `Delete ${server}` })
    await confirm.click()
    await page.getByRole('alert').getByText(bucket).waitFor()
    await view.expectComplaint('400')
    expect((await ask('DELETE', `/object-stores/${bucket}?confirmName=${bucket}&backupFirst=off`)).status).to.equal(200)
    await confirm.click()
    await page.waitForURL('**/settings/servers')
    await region('Object server').getByRole('button', { name: 'Create the object server' }).waitFor()
    // Its page read the deleted server once more.
    view.complaints.splice(0, view.complaints.length, ...view.complaints.filter((each) => !each.includes('404')))
  })

  it('make a shared database server, which the form offers no second time, and delete it', async () => {
    const { page } = view
    const panel = region('Shared database servers')
    await panel.getByLabel('Engine').selectOption('mysql')
    expect(await panel.getByLabel('High availability').count(), 'of postgres alone').to.equal(0)
    await panel.getByLabel('Storage').fill('much')
    await panel.getByText('storageSize must be a quantity such as 10Gi').waitFor()
    await panel.getByLabel('Storage').fill('2Gi')
    await panel.getByLabel('Deploy at once').uncheck()
    await panel.getByRole('button', { name: 'Create the shared server' }).click()
    await panel.getByText('Saved as a draft. Nothing is made until it is deployed.').waitFor()
    expect(await panel.getByLabel('Engine').getByRole('option').allTextContents()).to.deep.equal(['postgres'])
    const { spec } = (await ask('GET', '/databases/shared-mysql')).body
    expect([spec.engine, spec.storageSize, spec.project]).to.deep.equal(['mysql', '2Gi', ''])
    await panel.getByRole('link', { name: 'Open shared-mysql' }).click()
    await page.getByRole('button', { name: 'Delete this database' }).click()
    await page.getByLabel('Type shared-mysql to delete the database').fill('shared-mysql')
    await page.getByRole('button', { name: 'Delete shared-mysql' }).click()
    await page.waitForURL('**/settings/servers')
    await panel.getByText('None yet: a logical database needs one').waitFor()
    view.complaints.splice(0, view.complaints.length, ...view.complaints.filter((each) => !each.includes('404')))
  })
})
