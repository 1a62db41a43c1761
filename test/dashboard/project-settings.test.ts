/** The rest of the settings: webhooks and their deliveries, tags, backups, git host, variables, users, clouds. */
import { expect } from 'chai'
import { githubApp, type GitHubServer, startGitHub } from '../harness/github.ts'
import { kubectl } from '../harness/kubectl.ts'
import { startReceiver, type TestReceiver } from '../outside/webhooks/receiver.ts'
import { violations } from './axe.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('settings in the dashboard', function () {
  this.timeout(300_000)
  let dashboard: TestDashboard
  let receiver: TestReceiver
  let github: GitHubServer
  let project: string
  let view: View
  const service = uniqueName('web')

  before(async () => {
    receiver = await startReceiver()
    github = await startGitHub()
    const hosts = { SVC_GITHUB_URL: github.url, SVC_GITHUB_API_URL: github.url }
    dashboard = await startTestDashboard({ env: { SVC_WEBHOOK_PRIVATE: '1', ...hosts } })
    project = await dashboard.project('Settings')
    await ask('/apps', { project, environment: 'production', name: service, image: 'svc/hello:1' })
    view = await dashboard.open(`/projects/${project}/settings`)
  })
  after(async () => {
    await dashboard?.stop()
    await Promise.all([receiver?.stop(), github?.stop()])
  })
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  async function ask(path: string, json: unknown): Promise<void> {
    const cookie = await dashboard.signIn('admin')
    const { status, text } = await dashboard.ask('POST', `/api/v1${path}`, { cookie, json })
    expect(status, text).to.equal(200)
  }

  it('list the deliveries of webhooks, each with its outcome and its tries', async () => {
    const { page } = view
    const deliveries = page.getByRole('region', { name: 'Deliveries' }).first()
    await deliveries.getByText('No deliveries').waitFor()
    receiver.answer((response) => void response.writeHead(503).end())
    await page.getByLabel('Address').fill(receiver.url)
    await page.getByRole('button', { name: 'Add a webhook' }).click()
    await page.getByText('The signing secret, shown only now').waitFor()
    await ask(`/apps/${service}/deploy`, {})
    const row = deliveries.getByRole('row').filter({ hasText: 'deployment.started' })
    await row.getByText('Being tried').waitFor()
    await row.getByRole('button', { name: `Tries of deployment.started, ${service}` }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/^\d+ tries$/).waitFor()
    await dialog.getByText(/The last one that failed: .*503/).waitFor()
    receiver.answer((response) => void response.writeHead(204).end())
    await page.keyboard.press('Escape')
    await row.getByText('Delivered').waitFor()
    expect(await violations(page)).to.deep.equal([])
  })

  it('deliver an event again, once for each delivery, and say how it went or why not', async () => {
    const { page } = view
    const deliveries = page.getByRole('region', { name: 'Deliveries' }).first()
    const before = receiver.received.length
    const [first] = receiver.received.filter(({ body }) => body.includes('deployment.started'))
    const again = deliveries.getByRole('button', { name: `Deliver again deployment.started, ${service}` })
    expect(await again.count()).to.equal(1)
    await again.dblclick()
    const outcome = deliveries.getByRole('status').filter({ hasText: 'Delivered again' })
    await outcome.getByText('Delivered', { exact: true }).waitFor()
    await again.nth(1).waitFor()
    expect(receiver.received.slice(before).map(({ id }) => id)).to.deep.equal([first?.id])
    expect(await violations(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByRole('button', { name: 'Turn on' }).waitFor()
    await again.first().click()
    await deliveries.getByRole('alert').filter({ hasText: 'the webhook is disabled' }).waitFor()
    await view.expectComplaint('400')
    expect(receiver.received).to.have.length(before + 1)
  })

  it('refuse tags that no node carries, and a place for backups that there is not, with what was typed kept', async () => {
    const { page } = view
    const compliance = page.getByRole('region', { name: 'Compliance' })
    await compliance.getByLabel('Required tags').fill('pci')
    await compliance.getByRole('button', { name: 'Apply' }).click()
    await compliance.getByText(/the tag pci/).waitFor()
    await view.expectComplaint('400')
    await compliance.getByRole('button', { name: 'Undo' }).click()
    const storage = page.getByRole('region', { name: 'Backup storage' })
    await storage.getByText('backups have nowhere to go').waitFor()
    await storage.getByLabel('Cloud connection or bucket').fill('aws-main')
    await storage.getByLabel('Bucket', { exact: true }).fill('backups')
    await storage.getByRole('button', { name: 'Save' }).click()
    await storage.getByText('connection must be a cloud connection of this project').waitFor()
    await view.expectComplaint('400')
    await storage.getByRole('button', { name: 'Undo' }).click()
  })

  it('require tags that a node is reserved for: saved, seen again, and refused in words where they cannot be', async () => {
    const { page } = view
    const [node = ''] = (await kubectl(['get', 'nodes', '-o', 'name'])).split('\n')
    const placement = `/nodes/${node.replace('node/', '')}/placement`
    const compliance = page.getByRole('region', { name: 'Compliance' })
    const tags = compliance.getByLabel('Required tags')
    const apply = async (text: string) => {
      await tags.fill(text)
      await compliance.getByRole('button', { name: 'Apply' }).click()
    }
    const foreseen: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/placement/warnings')) foreseen.push(decodeURIComponent(request.url()))
    })
    const browser = await view.context.newCDPSession(page)
    try {
      await ask(placement, { tags: 'fast', reserved: 'pci' })
      // On a slow machine a request that is given up a moment later is sent.
      await browser.send('Emulation.setCPUThrottlingRate', { rate: 10 })
      await apply('pci\nNot A Tag')
      await compliance.getByText(/^a node tag must use lowercase letters, digits, and hyphens/).waitFor()
      await browser.send('Emulation.setCPUThrottlingRate', { rate: 1 })
      expect(foreseen, 'asked about tags that are none').to.deep.equal([])
      await apply('fast')
      await compliance.getByText(`The tag fast is not reserved on ${node.replace('/', ' ')}.`).waitFor()
      await view.expectComplaint('400')
      await apply('pci')
      await compliance.getByText('Applied', { exact: true }).waitFor()
      await page.reload()
      await compliance.getByRole('button', { name: 'Apply' }).waitFor()
      expect(await tags.inputValue()).to.equal('pci')
      expect(await violations(page)).to.deep.equal([])
      await apply('')
      await compliance.getByText('Applied', { exact: true }).waitFor()
      await page.reload()
      await compliance.getByRole('button', { name: 'Apply' }).waitFor()
      expect(await tags.inputValue()).to.equal('')
    } finally {
      await browser.detach() // and with it the slowness
      await ask(placement, {})
    }
  })

  it('connect an environment to the git host, and offer its repositories where a service is made', async () => {
    const { page } = view
    const panel = page.getByRole('region', { name: 'Git host' })
    await panel.getByText('The platform has no git-host app yet.').waitFor()
    await ask('/settings/githost/save', githubApp)
    await panel.getByRole('button', { name: 'Connect production' }).waitFor()
    // The stand-in has no pages; 204 leaves the browser where it is.
    await page.route(`${github.url}/**`, (route) => route.fulfill({ status: 204 }))
    const [request] = await Promise.all([
      page.waitForRequest((each) => each.url().includes('/installations/new')),
      panel.getByRole('button', { name: 'Connect production' }).click(),
    ])
    expect(request.url()).to.match(new RegExp(`^${github.url}/`))
    github.repositories.set(71, ['acme/web', 'acme/worker'])
    const gitHosts = [{ environment: 'production', installation: 71, account: 'acme' }]
    const patch = JSON.stringify({ spec: { gitHosts } })
    await kubectl(['patch', 'svcproject', project, '-n', 'svc-system', '--type=merge', '-p', patch])
    await page.goto(`${dashboard.baseUrl}/projects/${project}/settings`)
    await panel.getByRole('button', { name: 'Show the repositories' }).click()
    await panel.getByRole('link', { name: 'acme/worker' }).waitFor()
    expect(await violations(page)).to.deep.equal([])
    await page.goto(`${dashboard.baseUrl}/projects/${project}/create`)
    await page.getByText('Service from git').click()
    await page.locator('datalist option[value="acme/web"]').waitFor({ state: 'attached' })
    await page.goto(`${dashboard.baseUrl}/projects/${project}/settings`)
    await panel.getByRole('button', { name: 'Disconnect' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    expect(await violations(page)).to.deep.equal([])
    await dialog.getByLabel('Type production to disconnect the environment').fill('production')
    await dialog.getByRole('button', { name: 'Disconnect production' }).click()
    await panel.getByRole('button', { name: 'Connect production' }).waitFor()
    await ask('/settings/githost/clear', {})
  })

  it('add the lines of a .env file to the variables, and choose shared ones by name', async () => {
    const { page } = view
    await ask(`/apps/${service}/config/set`, { key: 'KEPT', value: 'as it is' })
    await ask(`/projects/${project}/variables/save`, { name: 'REGION', value: 'eu' })
    await ask(`/projects/${project}/variables/save`, { name: 'TIER', value: 'gold' })
    await page.goto(`${dashboard.baseUrl}/services/${service}/variables`)
    await page.getByRole('button', { name: 'Paste a .env' }).click()
    const lines = page.getByLabel('Lines of a .env file')
    await lines.fill('no value here\nlower=1')
    await page.getByText('no value here: no NAME=value').waitFor()
    await page.getByText('variable name must use uppercase letters').waitFor()
    await lines.fill('# a comment\nexport LEVEL="debug it"\n\nKEPT=otherwise\nMODE=fast=1')
    await page.getByText('Adds 2, and gives KEPT another value.').waitFor()
    await page.getByRole('button', { name: 'Add them' }).click()
    const table = page.getByRole('region', { name: 'Plain variables' }).last()
    await table.getByRole('row').filter({ hasText: 'MODE' }).getByText('fast=1').waitFor()
    await table.getByRole('row').filter({ hasText: 'LEVEL' }).getByText('debug it').waitFor()
    await table.getByRole('row').filter({ hasText: 'KEPT' }).getByText('otherwise').waitFor()
    const shared = page.getByRole('region', { name: 'Shared variables' }).first()
    await shared.getByText('None is chosen, so it gets all of them.').waitFor()
    await shared.getByLabel('TIER').check()
    await shared.getByRole('button', { name: 'Save the choice' }).click()
    await page.getByText('shared by the project').waitFor()
    // The click scrolled the tabs half below the header of the page, where axe calls them too small.
    await page.evaluate('scrollTo(0, 0)')
    expect(await violations(page)).to.deep.equal([])
  })

  it('give a user a new password and role, list the clouds, and show what svc itself uses', async () => {
    const { page } = view
    const username = uniqueName('user')
    await ask('/users', { username, password: 'first-password-of-all', role: 'viewer' })
    await page.goto(`${dashboard.baseUrl}/settings/users`)
    await page.getByRole('button', { name: `New password for ${username}` }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Password').fill('short')
    await dialog.getByText('password must be').waitFor()
    expect(await violations(page)).to.deep.equal([])
    await dialog.getByLabel('Password').fill('another-password-then')
    await dialog.getByRole('button', { name: 'Set it and end their sessions' }).click()
    await dialog.waitFor({ state: 'hidden' })
    const form = { username, password: 'another-password-then' }
    expect((await dashboard.ask('POST', '/api/login', { form })).status).to.equal(200)
    const cookie = await dashboard.signIn('admin')
    const roleNow = async () => {
      const { body } = await dashboard.ask('GET', '/api/v1/users', { cookie })
      return body.items.find((each: { username: string }) => each.username === username)?.role as string
    }
    await page.getByRole('button', { name: `Make admin: ${username}` }).click()
    await dialog.getByText('Their sessions end at once.').waitFor()
    expect(await roleNow()).to.equal('viewer')
    await dialog.getByRole('button', { name: 'Make admin' }).click()
    await page.getByRole('button', { name: `Make viewer: ${username}` }).waitFor()
    expect(await roleNow()).to.equal('admin')
    await dashboard.ask('DELETE', `/api/v1/users/${username}?confirmName=${username}`, { cookie })
    await page.goto(`${dashboard.baseUrl}/settings/clouds`)
    await page.getByRole('region', { name: 'Cloud connections' }).first().waitFor()
    await page.goto(`${dashboard.baseUrl}/cluster`)
    await page.getByRole('region', { name: 'The processes of svc' }).getByText('No metrics', { exact: true }).waitFor()
  })

  it('offer no other role to the last administrator', async () => {
    const { page } = view
    const admins = (count: number) => Array.from({ length: count }, (_, at) => ({ username: `a${at}`, role: 'admin' }))
    // Other tests may have made administrators.
    for (const count of [2, 1]) {
      await page.route('**/api/v1/users', (route) => route.fulfill({ json: { items: admins(count) } }))
      await page.goto(`${dashboard.baseUrl}/settings/users`)
      const button = page.getByRole('button', { name: 'Make viewer: a0' })
      await button.waitFor()
      expect(await button.getAttribute('title')).to.equal(count === 1 ? 'The last administrator has to stay one' : null)
      await page.unroute('**/api/v1/users')
    }
  })

  it('are closed to viewers where they may not change them', async () => {
    const viewer = await dashboard.open(`/projects/${project}/settings`, 'viewer')
    await viewer.page.getByRole('region', { name: 'Compliance' }).waitFor()
    for (const name of ['Deliveries', 'Backup storage', 'Git host', 'Webhooks'])
      expect(await viewer.page.getByRole('region', { name }).count(), name).to.equal(0)
    expect(viewer.complaints).to.deep.equal([])
  })
})
