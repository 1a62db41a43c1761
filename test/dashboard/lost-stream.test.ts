/** An api that goes away under an open page: the page says so at once, keeps what it shows, and catches up. */
import { expect } from 'chai'
import { buildDashboard } from '../../dashboard/build.ts'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { startTestDashboard, type TestDashboard } from './dashboard.ts'

describe('a page whose api goes away', function () {
  this.timeout(240_000)
  let dashboard: TestDashboard
  let again: TestApi | undefined

  before(async () => {
    dashboard = await startTestDashboard()
  })
  after(async () => {
    await again?.stop()
    await dashboard?.stop()
  })

  it('says since when it is not live, and shows what happened meanwhile once it is back', async () => {
    const project = await dashboard.project('Before')
    const { page, complaints } = await dashboard.open(`/projects/${project}`)
    const heading = page.getByRole('heading', { level: 1 })
    await heading.getByText('Before').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    const { port } = dashboard
    await dashboard.stopApi()
    await page.getByRole('status').getByText('Not live for').waitFor()
    expect(await heading.textContent()).to.equal('Before')
    // Another page changes it while this one receives nothing.
    const elsewhere = await startTestApi()
    const cookie = await elsewhere.signIn('admin')
    await elsewhere.ask('PATCH', `/api/v1/projects/${project}`, { cookie, json: { displayName: 'After' } })
    await elsewhere.stop()
    again = await startTestApi({ env: { SVC_PORT: String(port), SVC_DASHBOARD: await buildDashboard() } })
    await heading.getByText('After').waitFor()
    await page.getByText('Not live for').waitFor({ state: 'hidden' })
    expect(
      complaints.filter((each) => !/ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING)/.test(each)),
    ).to.deep.equal([])
  })
})
