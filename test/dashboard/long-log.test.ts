/** The log of a service with more lines than a page keeps: it scrolls by frames, and nothing moves under a reader. */
import { appendFile } from 'node:fs/promises'
import { expect } from 'chai'
import { useStack } from '../harness/stack.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

/** What the page keeps. */
const keptMax = 100_000
const burst = 10_000
const frames = 120
/** At 60 frames a second; a core that other work shares takes up to twice the time for the same work. */
const frameMs = (2 * 1000) / 60

describe('a log of 100,000 lines in the dashboard', function () {
  this.timeout(300_000)
  let dashboard: TestDashboard
  let view: View
  let written = 0

  before(async () => {
    dashboard = await startTestDashboard()
    const project = await dashboard.project('Long')
    const service = uniqueName('long')
    const cookie = await dashboard.signIn('admin')
    const json = { project, environment: 'production', name: service, image: 'svc/hello:1', deploy: true }
    await dashboard.ask('POST', '/api/v1/apps', { cookie, json })
    view = await dashboard.open(`/services/${service}/logs`)
    await view.page.getByText('Following').waitFor()
  })
  after(() => dashboard?.stop())
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  /** Into the one file that every simulated container has as its log. */
  const write = async (count: number) => {
    const { cluster } = await useStack()
    const begin = Date.now()
    const line = (at: number) => `${new Date(begin + at).toISOString()} stdout F line ${written + at} of a long log\n`
    await appendFile(cluster.containerLog, Array.from({ length: count }, (_, at) => line(at)).join(''))
    written += count
  }
  const lines = () => view.page.getByRole('log')
  const untilShown = (text: string) => lines().getByText(text, { exact: true }).waitFor({ timeout: 120_000 })

  it('keeps 100,000 and says how many older ones it dropped, with some tens of them in the page', async () => {
    for (let at = 0; at < keptMax + burst; at += burst) {
      await write(burst)
      await untilShown(`line ${written - 1} of a long log`)
    }
    await view.page.getByText(/^100000 lines, \d+ older ones dropped$/).waitFor()
    expect(await lines().locator('time').count()).to.be.within(10, 200)
  })

  it('scrolls through them with work that fits into a frame', async () => {
    const { page, context } = view
    const session = await context.newCDPSession(page)
    // Time of its thread: what else the machine does is not counted.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    const workMs = async () => {
      const { metrics } = await session.send('Performance.getMetrics')
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
    }
    const before = await workMs()
    await page.evaluate(`new Promise((resolve) => {
      const box = document.querySelector('[role=log]')
      let frame = 0
      const step = () => {
        frame += 1
        box.scrollTop -= frame % 10 === 0 ? 100_000 : 300
        if (frame === ${frames}) resolve()
        else requestAnimationFrame(step)
      }
      requestAnimationFrame(step)
    })`)
    const each = ((await workMs()) - before) / frames
    expect(each, 'the work of a frame').to.be.within(0.01, frameMs)
    expect(await lines().evaluate((box) => box.scrollTop), 'it is somewhere in the middle').to.be.above(0)
  })

  it('moves nothing under a reader who scrolled up while more is written', async () => {
    const { page } = view
    await lines().evaluate((box) => box.scrollTo(0, box.scrollHeight / 2))
    await page.getByRole('button', { name: 'To the end' }).waitFor()
    const shown = () =>
      lines().evaluate((box) => {
        const top = box.getBoundingClientRect().top
        const rows = [...box.querySelectorAll('time')].map((each) => each.parentElement)
        return rows.find((row) => (row?.getBoundingClientRect().top ?? 0) >= top)?.textContent
      })
    const before = await shown()
    await write(2000)
    await page.getByRole('button', { name: '2000 new lines' }).waitFor({ timeout: 60_000 })
    expect(await shown()).to.equal(before)
    await page.getByRole('button', { name: '2000 new lines' }).click()
    await untilShown(`line ${written - 1} of a long log`)
  })
})
