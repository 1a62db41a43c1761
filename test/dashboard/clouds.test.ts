/** Cloud connections in the dashboard: made, checked by a worker, used, held and gone. moto stands in for AWS. */
import { expect } from 'chai'
import { ownerTags } from '../../kinds/object-stores/remote.ts'
import { createUser, deleteUser } from '../../outside/aws/users.ts'
import { kubectl } from '../harness/kubectl.ts'
import { type Moto, motoWithinMs, useMoto } from '../harness/moto.ts'
import { startTestWorker, type TestWorker } from '../harness/worker.ts'
import { violations } from './axe.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('cloud connections in the dashboard', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let worker: TestWorker
  let moto: Moto
  let project: string
  let view: View
  const name = uniqueName('account')

  before(async function () {
    this.timeout(motoWithinMs)
    moto = await useMoto()
    // A worker of its own: the shared one reaches no cloud.
    dashboard = await startTestDashboard({ env: { SVC_AWS_ENDPOINT: moto.url } }, async () => {
      worker = await startTestWorker({ recheckMs: 300 }, 'temporal/main.ts', { SVC_AWS_ENDPOINT: moto.url })
    })
    project = await dashboard.project('Cloudy')
    view = await dashboard.open('/settings/clouds')
  })
  after(async () => {
    await moto?.enforce(false)
    await dashboard?.stop()
    await worker?.stop()
  })
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  const ask = async (method: string, path: string, json?: object): Promise<void> => {
    const cookie = await dashboard.signIn('admin')
    const { status, text } = await dashboard.ask(method, `/api/v1${path}`, { cookie, json })
    expect(status, text).to.equal(200)
  }
  const panel = () => view.page.getByRole('region', { name: 'Connect a project to a cloud account' })
  const row = (of: string) =>
    view.page.getByRole('region', { name: 'Cloud connections' }).last().getByRole('row').filter({ hasText: of })
  const connect = async (as: string, keys: Moto['keys']) => {
    await panel().getByLabel('Name', { exact: true }).fill(as)
    await panel().getByLabel('Project').selectOption(project)
    await panel().getByLabel('Access key ID').fill(keys.accessKeyId)
    await panel().getByLabel('Secret access key').fill(keys.secretAccessKey)
    await panel().getByRole('button', { name: 'Connect' }).click()
  }

  it('say of a name and of keys what is wrong, each at its field', async () => {
    await connect('Not A Name', { accessKeyId: '', secretAccessKey: '' })
    await panel()
      .getByText(/^name must use lowercase letters, digits, and hyphens/)
      .waitFor()
    await panel().getByLabel('Name', { exact: true }).fill(name)
    await panel().getByRole('button', { name: 'Connect' }).click()
    await panel().getByText('accessKeyId is required').waitFor()
    await view.expectComplaint('400')
    expect(await violations(view.page)).to.deep.equal([])
  })

  it('are Ready with their account as soon as a worker has checked the keys, without a reload', async () => {
    await connect(name, moto.keys)
    await row(name).getByText('Ready', { exact: true }).waitFor()
    expect(await row(name).getByRole('cell').nth(3).textContent()).to.match(/^\d{12}$/)
    expect(await panel().getByLabel('Secret access key').inputValue()).to.equal('')
    await panel().getByText(`Saved: ${name}.`).waitFor()
    expect(await view.page.content()).not.to.include(moto.keys.secretAccessKey)
    expect(await violations(view.page)).to.deep.equal([])
  })

  it('refuse a name that is taken, with what was typed kept', async () => {
    await connect(name, { accessKeyId: 'another', secretAccessKey: 'one' })
    await panel().getByText(`the name ${name} is already used`).waitFor()
    await view.expectComplaint('400')
    expect(await panel().getByLabel('Name', { exact: true }).inputValue()).to.equal(name)
  })

  it('show what the cloud answered to wrong keys, and are Ready once right ones are written', async () => {
    const wrong = uniqueName('wrong')
    await moto.enforce(true)
    await view.page.reload()
    await connect(wrong, { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'a-wrong-secret-access-key' })
    await row(wrong)
      .getByText(/^403: InvalidClientTokenId: /)
      .waitFor()
    await row(wrong).getByText('Not ready', { exact: true }).waitFor()
    expect(await violations(view.page)).to.deep.equal([])
    const right = JSON.stringify({ stringData: moto.keys })
    await kubectl(['patch', 'secret', `${wrong}-credentials`, '-n', 'svc-system', '--type=merge', '-p', right])
    await row(wrong).getByText('Ready', { exact: true }).waitFor()
    await moto.enforce(false)
    await kubectl(['delete', 'svccloudconnection', wrong, '-n', 'svc-system'])
    await row(wrong).waitFor({ state: 'detached' })
  })

  it('that are taken away say what still uses them, and are gone once nothing does', async () => {
    const [removed, bucket] = [uniqueName('removed'), uniqueName('bucket')]
    await connect(removed, moto.keys)
    await row(removed).getByText('Ready', { exact: true }).waitFor()
    const place = { project, environment: 'production', name: bucket, bucket }
    await ask('POST', '/object-stores', { ...place, placement: 'External', connectionRef: removed, deploy: true })
    await kubectl(['delete', 'svccloudconnection', removed, '-n', 'svc-system', '--wait=false'])
    await row(removed).getByText(`in use; delete these first: ${bucket}`).waitFor()
    expect(await violations(view.page)).to.deep.equal([])
    await ask('DELETE', `/object-stores/${bucket}?confirmName=${bucket}`)
    await row(removed).waitFor({ state: 'detached' })
  })

  it('have what is left there shown, once it is asked for', async () => {
    const { page } = view
    const account = moto.account()
    const left = `svc-${uniqueName('left')}`
    const tags = ownerTags({ metadata: { name: 'long-gone', uid: `uid-of-${left}` } })
    await createUser(account, left, tags)
    const orphans = page.getByRole('region', { name: 'Left in the clouds' })
    await orphans.getByRole('button', { name: 'Look for it' }).click()
    const found = orphans.last().getByRole('row').filter({ hasText: left })
    await found.getByText('long-gone').waitFor()
    expect(await violations(page)).to.deep.equal([])
    await deleteUser(account, left, 'none')
    account.close()
  })

  it('take the backups of their project: chosen by name, seen, forgotten', async () => {
    const { page } = view
    await page.goto(`${dashboard.baseUrl}/projects/${project}/settings`)
    const storage = page.getByRole('region', { name: 'Backup storage' })
    await page.locator(`datalist option[value="${name}"]`).waitFor({ state: 'attached' })
    await storage.getByLabel('Cloud connection or bucket').fill(name)
    await storage.getByLabel('Bucket', { exact: true }).fill('kept-there')
    await storage.getByRole('button', { name: 'Save' }).click()
    await storage.getByText('New backups go there').waitFor()
    await page.reload()
    await storage.getByText('New backups go there').waitFor()
    expect(await storage.getByLabel('Cloud connection or bucket').inputValue()).to.equal(name)
    expect(await violations(page)).to.deep.equal([])
    await storage.getByRole('button', { name: 'Forget' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Type kept-there/).fill('kept-there')
    await dialog.getByRole('button', { name: /kept-there/ }).click()
    await storage.getByText('None: backups have nowhere to go.').waitFor()
  })
})
