/** What holds on every page, shown on one: theme, motion, time, copying, a network that is gone, rest. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import { startTestDashboard, uniqueName, type TestDashboard } from './dashboard.ts'
import { loaded } from './pages.ts'

/** Less than a stream may be silent. */
const restMs = 50_000
const quietMs = 500

const background = (page: Page) => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
const moving = (page: Page) =>
  page.evaluate<number>(`document.getAnimations().filter(({ playState }) => playState === 'running').length`)

describe('each page of the dashboard, whatever it shows', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let project: string
  const service = uniqueName('web')

  before(async () => {
    dashboard = await startTestDashboard()
    project = await dashboard.project('Behaviour')
    const json = { project, environment: 'production', name: service, image: 'svc/hello:1', deploy: true }
    const { status, text } = await dashboard.ask('POST', '/api/v1/apps', {
      cookie: await dashboard.signIn('admin'),
      json,
    })
    expect(status, text).to.equal(200)
    const { page, context } = await dashboard.open(`/services/${service}`)
    await page.getByText('Running: 1 of 1 copy ready.').waitFor()
    await context.close()
  })
  after(() => dashboard?.stop())

  it('has the theme of the system until another is chosen, which stays', async () => {
    const { page, complaints } = await dashboard.open('/', 'admin', { colorScheme: 'light' })
    await loaded(page)
    const light = await background(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await background(page)
    expect(dark).not.to.equal(light)
    const choose = async (theme: string) => {
      await page.getByRole('button', { name: 'admin' }).click()
      await page.getByRole('menuitemradio', { name: theme }).click()
      await page.keyboard.press('Escape')
    }
    await choose('Light')
    expect(await background(page)).to.equal(light)
    await page.reload()
    await loaded(page)
    expect(await background(page)).to.equal(light)
    await choose('Theme of the system')
    expect(await background(page)).to.equal(dark)
    expect(complaints).to.deep.equal([])
  })

  it('moves nothing by itself for who wants no motion', async () => {
    const { page } = await dashboard.open('/')
    const held: Route[] = []
    await page.route(/\/api\/v1\/apps/, (route) => void held.push(route))
    await page.goto(`${dashboard.baseUrl}/projects/${project}`)
    await page.locator('main .shimmer').first().waitFor()
    expect(await moving(page)).to.equal(0)
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    expect(await moving(page)).to.be.above(0)
    await Promise.all(held.map((route) => route.continue()))
  })

  it('has durations that tick, each time with the exact one', async () => {
    const { page, complaints } = await dashboard.open('/')
    await page.clock.install()
    await page.goto(`${dashboard.baseUrl}/services/${service}`)
    const sentence = page.getByTestId('sentence')
    await sentence.getByText(/For \d+/).waitFor()
    const before = await sentence.textContent()
    await page.clock.fastForward(10_000)
    await page.waitForFunction(
      `document.querySelector('[data-testid=sentence]').textContent !== ${JSON.stringify(before)}`,
    )
    const times = page.getByRole('main').locator('time')
    expect(await times.count()).to.be.above(0)
    for (const time of await times.all()) {
      const at = (await time.getAttribute('datetime')) ?? ''
      const exact = `${(await time.getAttribute('title')) ?? ''} ${(await time.textContent()) ?? ''}`
      expect(exact, at).to.contain(String(new Date(at).getUTCFullYear()))
    }
    expect(complaints).to.deep.equal([])
  })

  it('copies what machines read', async () => {
    const { page, context, complaints } = await dashboard.open(`/services/${service}`)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy the name', exact: true }).click()
    await page.getByRole('button', { name: 'Copied the name', exact: true }).waitFor()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).to.equal(service)
    expect(complaints).to.deep.equal([])
  })

  it('keeps what was typed while the network is gone, says so there, and saves it afterwards', async () => {
    const { page, context, complaints } = await dashboard.open(`/services/${service}/settings`)
    const source = page.getByRole('region', { name: 'Source' })
    await source.getByLabel('Image').fill('svc/hello:2')
    await context.setOffline(true)
    await source.getByRole('button', { name: 'Save' }).click()
    await source.getByRole('alert').getByText('svc does not answer').waitFor()
    expect(await source.getByLabel('Image').inputValue()).to.equal('svc/hello:2')
    // What is not sent for another reason is not said to be without an answer.
    await source.getByLabel('Image').fill('no image')
    await source.getByRole('button', { name: 'Save' }).click()
    await source.getByText('svc does not answer').waitFor({ state: 'hidden' })
    await source.getByLabel('Image').fill('svc/hello:2')
    await context.setOffline(false)
    await source.getByRole('button', { name: 'Save' }).click()
    await source.getByRole('status').getByText('Saved').waitFor()
    await page.reload()
    await source.getByLabel('Image').waitFor()
    expect(await source.getByLabel('Image').inputValue()).to.equal('svc/hello:2')
    expect(complaints.filter((each) => !each.includes('ERR_INTERNET_DISCONNECTED'))).to.deep.equal([])
  })

  for (const [form, path, field] of [
    ['makes something', () => `/projects/${project}/create`, 'Image'],
    ['changes something', () => `/services/${service}/settings`, 'Image'],
  ] as const)
    it(`asks before a form that ${form} is left with what was typed`, async () => {
      const { page, complaints } = await dashboard.open(path())
      const answers = [false, true]
      const asked: string[] = []
      page.on('dialog', (dialog) => {
        asked.push(dialog.message())
        void (answers.shift() === true ? dialog.accept() : dialog.dismiss())
      })
      await page.getByLabel(field, { exact: true }).fill('svc/hello:3')
      const leave = () => page.getByRole('link', { name: 'Overview' }).first().click()
      await leave()
      expect(await page.getByLabel(field, { exact: true }).inputValue()).to.equal('svc/hello:3')
      await leave()
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
      expect(asked).to.deep.equal(Array(2).fill('Leave without saving what you changed?'))
      expect(complaints).to.deep.equal([])
    })

  it('asks before another form to make something takes the place of one with something typed', async () => {
    const { page, complaints } = await dashboard.open(`/projects/${project}/create`)
    const answers = [false, true]
    page.on('dialog', (dialog) => void (answers.shift() === true ? dialog.accept() : dialog.dismiss()))
    const form = (name: string) => page.getByRole('radio', { name, exact: true })
    await page.getByLabel('Image', { exact: true }).fill('svc/hello:3')
    await page.getByText('Bucket', { exact: true }).click()
    expect(await page.getByLabel('Image', { exact: true }).inputValue()).to.equal('svc/hello:3')
    expect(await form('Service').isChecked()).to.equal(true)
    await page.getByText('Bucket', { exact: true }).click()
    await page.getByRole('button', { name: 'Create the bucket' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Create the bucket' }).waitFor()
    expect([answers, await form('Bucket').isChecked(), complaints]).to.deep.equal([[], true, []])
  })

  it('asks for nothing while nothing happens', async () => {
    const { page, complaints } = await dashboard.open('/')
    await page.clock.install()
    for (const path of ['/', `/projects/${project}`, `/services/${service}`, `/services/${service}/settings`]) {
      await page.goto(`${dashboard.baseUrl}${path}`)
      await page.getByText('Live', { exact: true }).waitFor()
      await loaded(page)
      const reads: string[] = []
      const note = (url: string) => void (url.includes('/api/') && reads.push(url))
      page.on('request', (request) => note(request.url()))
      await page.clock.fastForward(restMs)
      await sleep(quietMs)
      page.removeAllListeners('request')
      // The usage of an environment is measured, which no event reports.
      expect(
        reads.filter((url) => !url.includes('/metrics')),
        path,
      ).to.deep.equal([])
    }
    expect(complaints).to.deep.equal([])
  })

  it('loads the code of a page with that page', async () => {
    const { page } = await dashboard.open('/')
    const loadedBy = async (path: string) => {
      const scripts: string[] = []
      page.on('request', (request) => {
        if (request.url().endsWith('.js')) scripts.push(new URL(request.url()).pathname)
      })
      await page.goto(`${dashboard.baseUrl}${path}`)
      await loaded(page)
      await sleep(quietMs)
      page.removeAllListeners('request')
      return scripts
    }
    const first = await loadedBy('/')
    const later = await loadedBy(`/services/${service}/variables`)
    expect(first.length).to.be.above(0)
    expect(later.filter((script) => !first.includes(script)).length, 'code of its own').to.be.above(0)
    expect(first.filter((script) => !later.includes(script)).length, 'the overview has its own').to.be.above(0)
  })
})
