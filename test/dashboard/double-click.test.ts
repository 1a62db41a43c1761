/** A double click on a button that starts something starts it once. */
import { expect } from 'chai'
import { startTestDashboard, uniqueName, type TestDashboard } from './dashboard.ts'

describe('Dashboard, a double click', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard

  before(async () => {
    dashboard = await startTestDashboard()
  })
  after(async () => await dashboard.stop())

  it('deploys once', async () => {
    const name = uniqueName('twice')
    const json = { name, project: await dashboard.project('Twice'), environment: 'production', image: 'svc/hello:1' }
    const cookie = await dashboard.signIn('admin')
    const { status, text } = await dashboard.ask('POST', '/api/v1/apps', { cookie, json })
    expect(status, text).to.equal(200)
    const { page, complaints } = await dashboard.open(`/services/${name}`)
    const deploys: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith(`/${name}/deploy`)) deploys.push(request.url())
    })
    await page.getByRole('button', { name: 'Deploy', exact: true }).dblclick()
    await page.getByText('Running: 1 of 1 copy ready.').waitFor()
    expect(deploys).to.have.lengthOf(1)
    const { body } = await dashboard.ask('GET', `/api/v1/apps/${name}/deployments`, { cookie })
    expect(body.items).to.have.lengthOf(1)
    expect(complaints).to.deep.equal([])
  })
})
