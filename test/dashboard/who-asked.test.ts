/** Who asked for a deploy and how it ended, on the pages of a service and of runs. */
import { expect } from 'chai'
import { tokenNameMax, usernameMax } from '../../contract/limits.ts'
import { startTestDashboard, uniqueName, type TestDashboard } from './dashboard.ts'

describe('Dashboard, who asked', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let project: string
  let app: string

  before(async () => {
    dashboard = await startTestDashboard()
    project = await dashboard.project('Who asked')
    app = uniqueName('asked')
    const token = await dashboard.token({ name: 'nightly build', role: 'admin' })
    const json = { name: app, project, environment: 'production', image: 'svc/hello:1', deploy: true }
    const { status, text } = await dashboard.ask('POST', '/api/v1/apps', { token, json })
    expect(status, text).to.equal(200)
  })
  after(async () => await dashboard.stop())

  it('each deployment has its outcome, and the name of the token that asked', async () => {
    const { page, complaints } = await dashboard.open(`/services/${app}/deployments`)
    const row = page.getByRole('region', { name: 'Deployments' }).getByRole('row').nth(1)
    await row.getByText('Succeeded', { exact: true }).waitFor()
    await row.getByText('token “nightly build”', { exact: true }).waitFor()
    expect(await page.getByText('Dashboard', { exact: true }).count()).to.equal(0)
    await row.getByRole('button', { name: 'Steps' }).click()
    await page
      .getByRole('dialog')
      .getByText(/accepted: .* \(deploy by token “nightly build”\)/)
      .waitFor()
    expect(complaints).to.deep.equal([])
  })

  it('each deployment has its ID, and says why it failed', async () => {
    const name = uniqueName('twice')
    const cookie = await dashboard.signIn('admin')
    const ask = async (path: string, json: object) => {
      const { status, text } = await dashboard.ask('POST', `/api/v1/apps${path}`, { cookie, json })
      expect(status, text).to.equal(200)
    }
    await ask('', { project, environment: 'production', name, image: 'svc/broken-image:1', deploy: true })
    await ask(`/${name}/deploy`, {})
    const { page, complaints } = await dashboard.open(`/services/${name}/deployments`)
    const row = (title: string) => page.getByRole('region', { name: 'Deployments' }).getByRole('row', { name: title })
    const id = await row('Redeploy').locator('.font-mono').first().innerText()
    expect(id).to.match(new RegExp(`^${name}-[a-z0-9]{5}$`))
    await row('First deploy').getByText(`superseded by ${id}`).waitFor()
    expect(complaints).to.deep.equal([])
  })

  it('a long name leaves the state of the copies in sight', async () => {
    const json = { project, environment: 'production', image: 'svc/hello:1', deploy: true }
    const long = uniqueName('a-service-with-quite-a-long-name-to-see')
    const { status, text } = await dashboard.ask('POST', '/api/v1/apps', {
      cookie: await dashboard.signIn('admin'),
      json: { ...json, name: long },
    })
    expect(status, text).to.equal(200)
    const { page } = await dashboard.open(`/services/${long}`)
    const table = page.getByRole('region', { name: 'Copies' }).last()
    await table.getByText('Running', { exact: true }).waitFor()
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).to.equal(0)
  })

  it('runs name the token as well', async () => {
    const { page } = await dashboard.open(`/runs?resource=${app}`)
    await page.getByRole('region', { name: 'Runs' }).getByText('token “nightly build”').first().waitFor()
  })

  it('tokens show the ID that records have of them, and their buttons whole', async () => {
    await dashboard.token({ name: 'n'.repeat(tokenNameMax), role: 'viewer' })
    const { page } = await dashboard.open('/settings/tokens')
    const table = page.getByRole('region', { name: 'Tokens' }).last()
    await table.getByText('nightly build').waitFor()
    expect(await table.locator('code').first().textContent()).to.match(/^[a-z0-9]{8,}$/)
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).to.equal(0)
  })
  it('users have their buttons whole, however long their names are', async () => {
    const json = {
      username: uniqueName('n').padEnd(usernameMax, 'n'),
      password: 'staple-battery-horse',
      role: 'viewer',
    }
    const cookie = await dashboard.signIn('admin')
    const { status, text } = await dashboard.ask('POST', '/api/v1/users', { cookie, json })
    expect(status, text).to.equal(200)
    const { page } = await dashboard.open('/settings/users')
    const table = page.getByRole('region', { name: 'Users' }).last()
    await table.getByText(json.username).waitFor()
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).to.equal(0)
  })
})
