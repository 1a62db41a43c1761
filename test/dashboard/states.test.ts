/** Every page while its answer is awaited, after a failure and another try, for what is gone, and for viewers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import { startTestDashboard, type TestDashboard } from './dashboard.ts'
import { filledEnv, fillProject, loaded, type NamedPath } from './pages.ts'

/** Pages of fields and buttons that ask the api for nothing before a reader uses them. */
const withoutReads = ['settings-account', 'settings-backup', 'device', 'service-terminal']
const triesMax = 30
/** What browsers call good. */
const shiftMax = 0.1
/** So many reads of a page come one after the other, so far apart. */
const slowReads = 8
const apartMs = 120
const quietMs = 400

interface Moved {
  readonly sum: number
  /** Texts of what moved. */
  readonly what: readonly string[]
}

/** Of records that are not there, and of addresses that lead nowhere. */
const gone = [
  ...['', '/logs', '/settings', '/create', '/changes'].map((each) => `/projects/proj-00000000${each}`),
  ...['services', 'databases', 'logical-databases', 'buckets'].map((each) => `/${each}/nobody`),
  '/settings/nothing',
  '/services/nobody/nothing',
  '/runs/00000000-0000-4000-8000-000000000000',
  '/runs/mistyped',
]
/** What changes something. */
const offered = /^(Save|Apply|Deploy|Delete|Add|Set|Create|New project|Roll back|Discard|Restore|Back up|Place|Approve)/
/** What every page needs to be there at all. */
const isOfFrame = (url: URL) => /\/api\/v1\/(session|events)$/.test(url.pathname)

describe('each page of the dashboard', function () {
  this.timeout(420_000)
  let dashboard: TestDashboard
  let paths: readonly NamedPath[]

  before(async () => {
    dashboard = await startTestDashboard({ env: filledEnv })
    ;({ paths } = await fillProject(dashboard))
  })
  after(() => dashboard?.stop())

  /** Every read of the page goes this way until the returned function is called. */
  async function divert(page: Page, take: (route: Route) => Promise<void>): Promise<() => Promise<void>> {
    const matches = (url: URL) => url.pathname.startsWith('/api/') && !isOfFrame(url)
    await page.route(matches, take)
    return () => page.unroute(matches, take)
  }

  /** While its answers are awaited. */
  async function saysThatItLoads(page: Page, name: string): Promise<void> {
    const loading = page.locator('main .shimmer').first()
    await loading.waitFor().catch(() => expect.fail(`${name} does not say that it is loading`))
    expect(await page.getByText(/^(No |Nothing )/).count(), `${name} says that something is not there`).to.equal(0)
  }

  it('is not empty while its answers are awaited, and moves nothing though they come one by one, the first ones last', async () => {
    const { page, complaints } = await dashboard.open('/')
    for (const { name, path } of paths) {
      let asked = 0
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const hasten = await divert(page, async (route) => {
        asked += 1
        const turn = asked
        await released
        await sleep(Math.max(0, slowReads - turn) * apartMs)
        await route.continue().catch(() => undefined) // the page was left
      })
      await page.goto(`${dashboard.baseUrl}${path}`)
      if (!withoutReads.includes(name)) await saysThatItLoads(page, name)
      release()
      await loaded(page)
      const moved = await movedOn(page)
      await hasten()
      expect(moved.sum, `layout shift of ${name}: ${moved.what.join(' | ')}`).to.be.below(shiftMax)
    }
    expect(complaints).to.deep.equal([])
  })

  it('says what could not be read and why, and shows it after another try', async () => {
    const { page, complaints } = await dashboard.open('/')
    for (const { name, path } of paths.filter((each) => !withoutReads.includes(each.name))) {
      const json = { error: 'the cluster does not answer' }
      const restore = await divert(page, (route) => route.fulfill({ status: 503, json }))
      await page.goto(`${dashboard.baseUrl}${path}`)
      const failed = page.getByRole('main').getByRole('alert').filter({ hasText: 'the cluster does not answer' })
      await failed
        .first()
        .waitFor({ timeout: 15_000 })
        .catch(() => expect.fail(`${name} does not say what failed`))
      await restore()
      const again = page.getByRole('main').getByRole('button', { name: 'Try again' })
      expect(await again.count(), `${name} offers another try`).to.be.above(0)
      for (let tries = 0; (await again.count()) > 0 && tries < triesMax; tries += 1) {
        await again
          .first()
          .click({ timeout: 2000 })
          .catch(() => undefined) // it went with the answer of an earlier click
        await page.waitForTimeout(300)
      }
      expect(await failed.count(), `${name} is as it should be after another try`).to.equal(0)
      await loaded(page).catch(() => expect.fail(`${name} is loading still`))
    }
    expect(complaints.filter((each) => !each.includes('503'))).to.deep.equal([])
  })

  it('says that there is no such thing, with a way on', async () => {
    const { page, complaints } = await dashboard.open('/')
    for (const path of gone) {
      await page.goto(`${dashboard.baseUrl}${path}`)
      const said = page
        .getByRole('main')
        .getByText(/^(No such|Not here|There is no|It was deleted)/)
        .first()
      await said.waitFor({ timeout: 15_000 }).catch(() => expect.fail(`${path} does not say that it is gone`))
      expect(await page.getByRole('link').count(), path).to.be.above(0)
    }
    expect(complaints.filter((each) => !each.includes('404'))).to.deep.equal([])
  })

  it('is shown to a viewer without a read that is refused, and says why where it is closed', async () => {
    const { page, complaints } = await dashboard.open('/', 'viewer')
    for (const { name, path } of paths) {
      await page.goto(`${dashboard.baseUrl}${path}`)
      await loaded(page).catch(() => expect.fail(`${name} is not shown to a viewer: ${page.url()}`))
      expect(complaints.splice(0), name).to.deep.equal([])
      for (const button of await page.getByRole('main').getByRole('button', { name: offered }).all())
        expect([name, await button.getAttribute('aria-disabled')]).to.deep.equal([name, 'true'])
    }
  })
})

/** What moved on a page since it was opened. */
const movedOn = (page: Page): Promise<Moved> =>
  page.evaluate<Moved>(`new Promise((resolve) => {
    const seen = { sum: 0, what: [] }
    const observer = new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries()) {
        seen.sum += value
        seen.what.push(...sources.map(({ node }) => node?.parentElement?.innerText?.slice(0, 60) ?? ''))
      }
    })
    observer.observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => resolve(seen), ${quietMs})
  })`)
