/** What the palette does: at once where a page does it at one click, else it leads to where it is asked again. */
import { expect } from 'chai'
import { settingsSections } from '../../dashboard/shell/settings-sections.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('actions of the palette', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let view: View
  const [web, huge, orders] = [uniqueName('web'), uniqueName('huge'), uniqueName('orders')]
  const [ledger, uploads] = [uniqueName('ledger'), uniqueName('uploads')]

  before(async () => {
    // Without a worker: a deploy stays as it was accepted.
    dashboard = await startTestDashboard({}, async () => undefined)
    const place = { project: await dashboard.project('Palette'), environment: 'production' }
    await ask('POST', '/apps', { ...place, name: web, image: 'svc/hello:1' })
    await ask('POST', '/apps', { ...place, name: huge, image: 'svc/hello:1', cpu: '100', replicas: 1000 })
    await ask('POST', '/databases', { ...place, name: orders })
    await ask('POST', '/logical-databases', { ...place, name: ledger, server: orders, database: 'ledger' })
    await ask('POST', '/object-stores', { ...place, name: uploads, bucket: 'uploads' })
    view = await dashboard.open('/')
    await view.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  })
  after(() => dashboard?.stop())
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  const ask = async (method: string, path: string, json?: unknown) => {
    const answer = await dashboard.ask(method, `/api/v1${path}`, { cookie: await dashboard.signIn('admin'), json })
    expect(answer.status, answer.text).to.equal(200)
    return answer.body
  }
  const type = async (text: string, page = view.page) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill(text)
  }
  /** The actions that are found; the text has the name of the resource. */
  const offered = async (text: string, page = view.page): Promise<string[]> => {
    await type(text, page)
    const name = text.split(' ').find((word) => [web, huge, orders].includes(word)) ?? ''
    const selection = page.getByRole('option', { selected: true }).filter({ hasText: name })
    await selection.or(page.getByText('Nothing has these letters')).first().waitFor()
    const found = page.getByRole('option').filter({ hasText: 'Action' }).locator('span:first-child')
    const titles = await found.allTextContents()
    await page.keyboard.press('Escape')
    await page.getByRole('combobox').waitFor({ state: 'hidden' })
    return titles
  }

  it('stand beside every page and every kind of resource, which are found by name and lead there', async () => {
    const { page } = view
    const { project } = (await ask('GET', `/apps/${web}`)).resource
    const settings = `/projects/${project}/settings`
    for (const [text, path] of [
      ['Overview', '/'],
      ['Cluster', '/cluster'],
      ['Runs', '/runs'],
      ['Settings', '/settings'],
      ...settingsSections.map(({ id, label }) => [label, `/settings/${id}`] as const),
      [project, `/projects/${project}`],
      ['Palette: settings', settings],
      ['Palette: create a service', `/projects/${project}/create`],
      ['Palette: logs', `/projects/${project}/logs`],
      ['Palette: pending changes', `/projects/${project}/changes`],
      [web, `/services/${web}`],
      [`${web}: logs`, `/services/${web}/logs`],
      [`${web}: variables`, `/services/${web}/variables`],
      [orders, `/databases/${orders}`],
      [ledger, `/logical-databases/${ledger}`],
      [uploads, `/buckets/${uploads}`],
    ] as const) {
      await type(text)
      const title = text === project ? 'Palette' : text
      await page.getByRole('option', { selected: true }).getByText(title, { exact: true }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => url.pathname === path)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
    }
    await page.goto(dashboard.baseUrl) // which has no other box to choose from
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  })

  it('are those that the state of the service lets be done', async () => {
    expect(await offered(`${web} deploy`)).to.deep.equal([`${web}: deploy`, `${web}: deployments`])
    expect(await offered(`roll back ${web}`), 'a draft has nothing to go back to').to.deep.equal([])
    expect(await offered(`stop ${web}`)).to.deep.equal([`${web}: scale`])
    expect(await offered(`deploy ${orders}`)).to.deep.equal([`${orders}: deploy`])
  })

  it('deploy a service, whose page then shows it', async () => {
    const { page } = view
    await type(`deploy ${web}`)
    await page.getByRole('option', { selected: true }).getByText(`${web}: deploy`, { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: web, level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Deploy again' }).waitFor()
    expect((await ask('GET', `/apps/${web}/status`)).state).to.equal('pending')
    expect(await offered(`restart ${web}`)).to.deep.equal([`${web}: deploy again`])
    await page
      .getByTestId('sentence')
      .getByText(/For \d+ s\./)
      .waitFor()
    await page.getByRole('link', { name: 'Palette / production' }).click()
    await page
      .locator(`[data-resource="${web}"]`)
      .getByText(/^\d+ s: waiting for the deploy to start/)
      .waitFor()
  })

  it('lead for what is asked again to the page that asks, and do nothing by themselves', async () => {
    const { page } = view
    for (const [text, path, name] of [
      [`roll back ${web}`, 'deployments', 'Roll back'],
      [`scale ${web}`, 'scaling', 'Apply'],
      [`delete ${web}`, 'danger', 'Delete this service'],
    ] as const) {
      await type(text)
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/services/${web}/${path}`)
      await page.getByRole('button', { name }).first().waitFor()
      expect(await page.getByRole('dialog').count()).to.equal(0)
    }
    expect((await ask('GET', `/apps/${web}`)).resource.state).to.equal('pending')
  })

  it('say in the palette why one was refused', async () => {
    const { page } = view
    await type(`deploy ${huge}`)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await view.expectComplaint('400')
    expect(new URL(page.url()).pathname).to.equal(`/services/${web}/danger`)
    await page.getByRole('combobox').fill('over')
    await page.getByRole('dialog').getByRole('alert').waitFor({ state: 'hidden' })
    await page.keyboard.press('Escape')
  })

  it('lead to a token, a user, a node and the settings of a project: to the part of the page that has it', async () => {
    const { page } = view
    const token = uniqueName('token')
    const cookie = await dashboard.signIn('admin')
    const json = { name: token, scope: 'workspace', role: 'viewer' }
    const made = await dashboard.ask('POST', '/api/v1/tokens', { cookie, json })
    const [{ name: node }] = (await ask('GET', '/nodes')).items
    const project = (await ask('GET', `/apps/${web}`)).resource.project
    for (const [text, address, heading] of [
      [`revoke ${token}`, '/settings/tokens#tokens', 'Tokens'],
      ['add a user', '/settings/users#add-a-user', 'Add a user'],
      [`webhooks ${project}`, `/projects/${project}/settings#webhooks`, 'Webhooks'],
      [`connection ${orders}`, `/databases/${orders}#connection`, 'Connection'],
    ] as const) {
      await type(text)
      await page.getByRole('option', { selected: true }).filter({ hasText: 'Action' }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(`**${address}`)
      await page.locator('h2:focus').getByText(heading, { exact: true }).waitFor()
    }
    await type(`place ${node}`)
    await page.getByRole('option', { selected: true }).getByText(`${node}: place`).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: `Place ${node}` }).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL(/\/cluster$/)
    await dashboard.ask('DELETE', `/api/v1/tokens/${made.body.item.id}`, { cookie })
  })

  it('are not offered to a viewer', async () => {
    const viewer = await dashboard.open('/', 'viewer')
    await viewer.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    for (const verb of ['deploy', 'roll back', 'scale', 'delete', ''])
      expect(await offered(`${verb} ${web}`, viewer.page)).to.deep.equal([])
    expect(viewer.complaints).to.deep.equal([])
  })
})
