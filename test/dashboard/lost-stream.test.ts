/** An api that goes away under an open page: the page says so at once, keeps what it shows, and catches up. */
import { expect } from 'chai'
import { buildDashboard } from '../../dashboard/build.ts'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { isOfConnection, startTestDashboard, uniqueName, type TestDashboard } from './dashboard.ts'

/** More than the page waits for a keep-alive, which comes every 25 s. */
const silentMs = 61_000
/** More than a page waits before it tries again. */
const backoffMaxMs = 20_000
/** A page that tries again waits for up to 15 s. */
const backWithinMs = 40_000

describe('a page whose api goes away', function () {
  this.timeout(240_000)
  let dashboard: TestDashboard
  let again: TestApi | undefined

  before(async () => {
    dashboard = await startTestDashboard({}, async () => undefined)
  })
  after(async () => {
    await again?.stop()
    await dashboard?.stop()
  })

  it('counts a connection that says nothing for a minute as lost, whatever it looks like', async () => {
    const project = await dashboard.project('Silent')
    const { page, complaints } = await dashboard.open('/')
    await page.clock.install()
    await page.goto(`${dashboard.baseUrl}/projects/${project}`)
    await page.getByText('Live', { exact: true }).waitFor()
    // The open connection stays as it is; another one is not let through yet.
    const events = /\/api\/v1\/events/
    await page.route(events, (route) => route.abort())
    await page.clock.fastForward(silentMs)
    await page.getByRole('status').getByText('Not live for').waitFor()
    await page.unroute(events)
    await page.clock.fastForward(backoffMaxMs)
    await page.getByText('Live', { exact: true }).waitFor()
    expect(complaints.filter((each) => !each.includes('ERR_FAILED'))).to.deep.equal([])
  })

  it('says since when it is not live, and shows what happened meanwhile once it is back', async () => {
    const [before, after] = [uniqueName('Before'), uniqueName('After')] // no two projects have the same name
    const project = await dashboard.project(before)
    const { page, complaints } = await dashboard.open(`/projects/${project}`)
    const heading = page.getByRole('heading', { level: 1 })
    await heading.getByText(before).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    const { port } = dashboard
    await dashboard.stopApi()
    await page.getByRole('status').getByText('Not live for').waitFor()
    expect(await heading.textContent()).to.equal(before)
    // Another page changes it while this one receives nothing.
    const elsewhere = await startTestApi()
    const cookie = await elsewhere.signIn('admin')
    const json = { displayName: after }
    expect((await elsewhere.ask('PATCH', `/api/v1/projects/${project}`, { cookie, json })).status).to.equal(200)
    await elsewhere.stop()
    again = await startTestApi({ env: { SVC_PORT: String(port), SVC_DASHBOARD: await buildDashboard() } })
    await heading.getByText(after).waitFor({ timeout: backWithinMs })
    await page.getByText('Not live for').waitFor({ state: 'hidden' })
    expect(complaints.filter((each) => !isOfConnection(each))).to.deep.equal([])
  })
})
