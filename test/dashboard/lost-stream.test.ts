/** An api that goes away under an open page: the page says so at once, keeps what it shows, and catches up. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { buildDashboard } from '../../dashboard/build.ts'
import { freePort } from '../../one-machine/processes/index.ts'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { eventually } from '../cluster/eventually.ts'
import { endWithSuite } from '../harness/leftovers.ts'
import { useStack } from '../harness/stack.ts'
import { untilSays } from '../harness/until-says.ts'
import { startTestWorker } from '../harness/worker.ts'
import { startTestDashboard, uniqueName, type TestDashboard } from './dashboard.ts'

const readyWithinMs = 30_000
/** More than the page waits for a keep-alive, which comes every 25 s. */
const silentMs = 61_000
/** More than a page waits before it tries again. */
const backoffMaxMs = 20_000
/** A page that tries again waits for up to 15 s. */
const backWithinMs = 40_000

/** The api as a process of its own, which can be killed. */
async function startApiProcess(port: number): Promise<ChildProcess> {
  const { kubeconfig, temporalAddress, temporalNamespace } = await useStack()
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../api/main.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      KUBECONFIG: kubeconfig,
      SVC_PORT: String(port),
      SVC_TEMPORAL_ADDRESS: temporalAddress,
      SVC_TEMPORAL_NAMESPACE: temporalNamespace,
      SVC_DASHBOARD: await buildDashboard(),
      SVC_AWS_ENDPOINT: 'http://127.0.0.1:9', // no server listens there: no test calls a real cloud
    },
  })
  endWithSuite(child, 'the api')
  await untilSays(child, { name: 'the api', ready: 'api ready', withinMs: readyWithinMs, onLine: () => undefined })
  return child
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** What a browser says of a connection that breaks, which is no defect of the page. */
const isOfConnection = (complaint: string): boolean =>
  /ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING)/.test(complaint)

describe('a page whose api goes away', function () {
  this.timeout(240_000)
  let dashboard: TestDashboard
  let again: TestApi | undefined

  before(async () => {
    // Workers are started where a test needs one.
    dashboard = await startTestDashboard({}, async () => undefined)
  })
  after(async () => {
    await again?.stop()
    await dashboard?.stop()
  })

  it('says so when the api is killed during a deploy, and shows how that ended once there is another api', async () => {
    const web = uniqueName('killed')
    const cookie = await dashboard.signIn('admin')
    const json = {
      project: await dashboard.project('Killed'),
      environment: 'production',
      name: web,
      image: 'svc/hello:1',
    }
    expect((await dashboard.ask('POST', '/api/v1/apps', { cookie, json })).status).to.equal(200)
    const port = await freePort()
    let api = await startApiProcess(port)
    try {
      // Cookies know no ports: the session is that of the other replica.
      const { page, complaints } = await dashboard.open('/')
      await page.goto(`http://127.0.0.1:${port}/services/${web}`)
      await page.getByText('Live', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Deploy', exact: true }).click()
      const steps = page.getByRole('list', { name: 'Steps of the deploy' })
      await steps.getByText(/^(Under way|Waits)/).waitFor()
      await end(api)
      await page.getByRole('status').getByText('Not live for').waitFor()
      const worker = await startTestWorker()
      await eventually(
        'the deploy has ended',
        async () => (await dashboard.ask('GET', `/api/v1/apps/${web}/status`, { cookie })).body.ready === true,
        readyWithinMs,
      )
      await worker.stop()
      expect(await page.getByText('Running: 1 of 1 copy ready.').count(), 'nobody told the page').to.equal(0)
      await steps.getByText(/^(Under way|Waits)/).waitFor()
      api = await startApiProcess(port)
      await page.getByText('Running: 1 of 1 copy ready.').waitFor({ timeout: backWithinMs })
      await steps.getByText('Succeeded: 1 of 1 copies ready').waitFor()
      await page.getByText('Not live for').waitFor({ state: 'hidden' })
      expect(complaints.filter((each) => !isOfConnection(each))).to.deep.equal([])
    } finally {
      await end(api)
    }
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
