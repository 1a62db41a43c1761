/** An api or a worker that is killed while a deploy is watched: the page ends with what became of it, each time. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { buildDashboard } from '../../dashboard/build.ts'
import { freePort } from '../../one-machine/processes/index.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import type { Death } from '../kill/mortal-client.ts'
import { startMortalWorker } from '../kill/enumerated.ts'
import { startProcess, type MortalProcess } from '../kill/mortal-process.ts'
import { isOfConnection, startTestDashboard, uniqueName, type TestDashboard } from './dashboard.ts'

/** A page that tries again waits for up to 15 s. */
const backWithinMs = 40_000
const endedWithinMs = 30_000

type Point = Pick<Death, 'when' | 'write'>

describe('a deploy that is watched', function () {
  this.timeout(300_000)
  let dashboard: TestDashboard
  let project: string
  let port: number
  let api: MortalProcess | undefined
  let worker: MortalProcess | undefined

  before(async () => {
    dashboard = await startTestDashboard({}, async () => undefined)
    project = await dashboard.project('Killed')
    port = await freePort()
  })
  const killAll = async () => {
    await Promise.all([api?.kill(), worker?.kill()])
    api = worker = undefined
  }
  /** What a test leaves serves the next one; what a failed one leaves may be dead or armed. */
  afterEach(async function () {
    if (this.currentTest?.state !== 'passed') await killAll()
  })
  after(async () => {
    await killAll()
    await dashboard?.stop()
  })

  const startApi = async () => {
    const { kubeconfig, temporalAddress, temporalNamespace } = await useStack()
    const env = {
      KUBECONFIG: kubeconfig,
      SVC_TEMPORAL_ADDRESS: temporalAddress,
      SVC_TEMPORAL_NAMESPACE: temporalNamespace,
      SVC_AWS_ENDPOINT: 'http://127.0.0.1:9', // no server listens there: no test calls a real cloud
      SVC_PORT: String(port),
      SVC_DASHBOARD: await buildDashboard(),
    }
    api = await startProcess({ entry: 'test/kill/mortal-api.ts', ready: 'the api is ready', env })
    return api
  }
  const startWorker = async () => {
    worker = await startMortalWorker({}, undefined, { SVC_IMAGE_DIGESTS: 'off' })
    return worker
  }
  const useApi = async () => api ?? (await startApi())
  const useWorker = async () => worker ?? (await startWorker())

  /** A draft, and its page as the api process serves it. */
  async function openDraft() {
    const name = uniqueName('watched')
    const cookie = await dashboard.signIn('admin')
    const json = { project, environment: 'production', name, image: 'svc/hello:1' }
    expect((await dashboard.ask('POST', '/api/v1/apps', { cookie, json })).status).to.equal(200)
    // Cookies know no ports: the session is that of the other replica.
    const { page, complaints, context } = await dashboard.open('/')
    await page.goto(`http://127.0.0.1:${port}/services/${name}`)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('Saved as a draft.').waitFor()
    const isReady = async () =>
      (await dashboard.ask('GET', `/api/v1/apps/${name}/status`, { cookie })).body.ready === true
    const end = async () => {
      expect(complaints.filter((each) => !isOfConnection(each))).to.deep.equal([])
      await context.close()
    }
    return { name, page, isReady, end }
  }

  const deploy = (page: Page) => page.getByRole('button', { name: 'Deploy', exact: true }).click()
  const steps = (page: Page) => page.getByRole('list', { name: 'Steps of the deploy' })
  async function endsWell(page: Page): Promise<void> {
    await page.getByText('Running: 1 of 1 copy ready.').waitFor({ timeout: backWithinMs })
    await steps(page).getByText('Succeeded: 1 of 1 copies ready').waitFor()
    await page.getByText('Not live for').waitFor({ state: 'hidden' })
    expect(await page.getByRole('main').getByRole('alert').allTextContents()).to.deep.equal([])
  }

  // The first test, since no worker runs yet.
  it('shows the steps on when the api is killed while copies are waited for, and how that ended', async () => {
    const first = await useApi()
    const { page, isReady, end } = await openDraft()
    await deploy(page)
    await steps(page)
      .getByText(/^(Under way|Waits)/)
      .waitFor()
    await first.kill()
    await page.getByRole('status').getByText('Not live for').waitFor()
    await startWorker()
    await eventually('the deploy has ended', isReady, endedWithinMs)
    expect(await page.getByText('Running: 1 of 1 copy ready.').count(), 'no event reached the page').to.equal(0)
    await steps(page)
      .getByText(/^(Under way|Waits)/)
      .waitFor()
    await startApi()
    await endsWell(page)
    await end()
  })

  for (const point of [
    { when: 'before', write: 1 },
    { when: 'after', write: 1 },
    { when: 'after', write: 2 },
  ] as const)
    it(`has no answer of an api killed ${point.when} write ${point.write}, says so, and ends right`, async () => {
      const dying = await useApi()
      await useWorker()
      const { name, page, end } = await openDraft()
      dying.arm({ ...point, about: name })
      await deploy(page)
      await dying.gone
      await page.getByRole('main').getByRole('alert').getByText('svc does not answer').waitFor()
      await page.getByRole('status').getByText('Not live for').waitFor()
      await startApi()
      await page.getByText('Not live for').waitFor({ state: 'hidden', timeout: backWithinMs })
      if (point.when === 'before' && point.write === 1) {
        await page.getByText('Saved as a draft.').waitFor()
        await deploy(page)
      }
      await endsWell(page)
      await end()
    })

  it('has its end although the api is killed at that moment', async () => {
    const first = await useApi()
    await useWorker()
    const { page, isReady, end } = await openDraft()
    await deploy(page)
    await eventually('the deploy has ended', isReady, endedWithinMs)
    await first.kill()
    await page.getByRole('status').getByText('Not live for').waitFor()
    await startApi()
    await endsWell(page)
    await end()
  })

  for (const point of [
    { when: 'after', write: 1 },
    { when: 'after', write: 3 },
    { when: 'after', write: 6 },
  ] satisfies Point[])
    it(`goes on with another worker after one that was killed ${point.when} write ${point.write}`, async () => {
      await useApi()
      const dying = await useWorker()
      const { name, page, isReady, end } = await openDraft()
      dying.arm({ ...point, about: name })
      await deploy(page)
      await dying.gone
      // Some writes are followed by others that only note what is so already.
      const saysRunning = (await page.getByText('Running: 1 of 1 copy ready.').count()) > 0
      if (saysRunning) expect(await isReady(), 'it runs as the page says').to.equal(true)
      await page.getByText('Live', { exact: true }).waitFor()
      await startWorker()
      await endsWell(page)
      await end()
    })
})
