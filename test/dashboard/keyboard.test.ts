/** Creating a service, deploying it and changing what pages have, without a pointer. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

/** More than there are on any page that is visited here. */
const mostTabs = 80

/** What has the focus, by its label or text; and that it can be seen to have it. */
const focused = (page: Page) =>
  page.evaluate<{ name: string; isMarked: boolean }>(`(() => {
    const at = document.activeElement
    const label = at?.labels?.[0]?.textContent ?? at?.getAttribute('aria-label') ?? at?.textContent ?? ''
    const style = getComputedStyle(at?.closest('label') ?? at ?? document.body)
    return { name: label.trim(), isMarked: style.outlineStyle !== 'none' }
  })()`)

/** What was taken off the page gives the focus on a moment later. */
async function untilFocused(page: Page, wanted: string): Promise<void> {
  for (let tries = 0; tries < 20 && (await focused(page)).name !== wanted; tries += 1) await page.waitForTimeout(50)
  expect((await focused(page)).name).to.equal(wanted)
}

/** Presses Tab until this has the focus. */
async function tabTo(page: Page, wanted: string): Promise<void> {
  for (let tabs = 0; tabs < mostTabs; tabs += 1) {
    await page.keyboard.press('Tab')
    const { name, isMarked } = await focused(page)
    if (name !== wanted) continue
    expect(isMarked, `the focus on ${wanted} is seen`).to.equal(true)
    return
  }
  throw new Error(`Tab does not lead to ${wanted}`)
}

/** Opens the address, and goes past what is around every page by its first link. */
async function visit(page: Page, address: string, heading: string): Promise<void> {
  await page.goto(address)
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
  // A page that was there at once has the focus in its heading.
  if ((await focused(page)).name === heading) return
  await tabTo(page, 'Skip to the page')
  await page.keyboard.press('Enter')
}

/** Replaces what is in the field of that label. */
async function fill(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, label)
  await page.keyboard.press('Control+a')
  await page.keyboard.type(text)
}

describe('the dashboard by keyboard alone', function () {
  this.timeout(180_000)
  let dashboard: TestDashboard
  let view: View
  let project: string
  const service = uniqueName('typed')
  const at = (path: string) => `${dashboard.baseUrl}${path}`

  before(async () => {
    dashboard = await startTestDashboard()
    project = await dashboard.project('Typed')
    view = await dashboard.open(`/projects/${project}`)
    await view.page.getByText('Nothing is in production yet').waitFor()
  })
  after(() => dashboard?.stop())
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  it('creates a service as a draft', async () => {
    const { page } = view
    await tabTo(page, 'Create the first resource')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Create', level: 1 }).waitFor()
    await tabTo(page, 'Image')
    await page.keyboard.type('svc/hello:1')
    await tabTo(page, 'Name')
    await page.keyboard.type(service)
    await tabTo(page, 'Deploy at once')
    await page.keyboard.press('Space')
    await tabTo(page, 'Create the service')
    await page.keyboard.press('Enter')
    await page.getByText('Saved as a draft.').waitFor()
  })

  it('deploys it, watches it come up, and reads its steps', async () => {
    const { page } = view
    await tabTo(page, 'Deploy')
    await page.keyboard.press('Enter')
    await page.getByText('Running: 1 of 1 copy ready.').waitFor()
    await tabTo(page, 'Settings')
    await tabTo(page, 'Deployments')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Steps' }).waitFor()
    await tabTo(page, 'Steps')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Succeeded: 1 of 1 copies ready').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect((await focused(page)).name, 'the focus is back where it came from').to.equal('Steps')
  })

  it('lists the shortcuts with ?, and goes by them from page to page', async () => {
    const { page } = view
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('g o').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    for (const [key, name] of [
      ['c', 'Cluster'],
      ['r', 'Runs'],
      ['s', 'Settings'],
      ['o', 'Overview'],
    ] as const) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await page.getByRole('heading', { name, level: 1 }).waitFor()
    }
  })

  it('changes a setting that waits for a deploy, and discards it', async () => {
    const { page } = view
    await visit(page, at(`/services/${service}/settings`), service)
    await fill(page, 'Image', 'svc/hello:2')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Source' }).getByRole('status').getByText('Saved').waitFor()
    await visit(page, at(`/services/${service}/settings`), service)
    await tabTo(page, 'Discard')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Discard them')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Pending changes' }).waitFor({ state: 'hidden' })
  })

  it('sets variables and removes them; the focus goes to the next, and to the heading after the last', async () => {
    const { page } = view
    for (const name of ['LOG_LEVEL', 'ZONE']) {
      await visit(page, at(`/services/${service}/variables`), service)
      await fill(page, 'Name', name)
      await fill(page, 'Value', 'debug')
      await page.keyboard.press('Enter')
      await page.getByRole('row').filter({ hasText: name }).waitFor()
    }
    await tabTo(page, 'Remove LOG_LEVEL')
    for (const [name, next] of [
      ['LOG_LEVEL', 'Remove ZONE'],
      ['ZONE', 'Plain variables'],
    ] as const) {
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: `Remove ${name}?` }).waitFor()
      await tabTo(page, 'Remove it')
      await page.keyboard.press('Enter')
      await page.getByRole('row').filter({ hasText: name }).waitFor({ state: 'hidden' })
      await untilFocused(page, next)
    }
  })

  it('sets a secret, and is asked before it is removed', async () => {
    const { page } = view
    await visit(page, at(`/services/${service}/variables`), service)
    await fill(page, 'Name', 'API_KEY')
    await fill(page, 'Value', 'hush')
    await tabTo(page, 'Secret')
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    const row = page.getByRole('row').filter({ hasText: 'API_KEY' })
    await row.getByText('hidden').waitFor()
    await tabTo(page, 'Remove API_KEY')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Remove API_KEY?' })
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect((await focused(page)).name, 'nothing was removed').to.equal('Remove API_KEY')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Remove it')
    await page.keyboard.press('Enter')
    await row.waitFor({ state: 'hidden' })
  })

  it('changes the number of copies, which applies at once', async () => {
    const { page } = view
    await visit(page, at(`/services/${service}/scaling`), service)
    await fill(page, 'Copies', '2')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Copies' }).getByRole('status').getByText('Applied').waitFor()
    await page.getByText('Running: 2 of 2 copies ready.').waitFor()
  })

  it('changes a database, and deletes it by its name', async () => {
    const { page } = view
    const database = uniqueName('orders')
    const cookie = await dashboard.signIn('admin')
    const json = { project, environment: 'production', name: database }
    expect((await dashboard.ask('POST', '/api/v1/databases', { cookie, json })).status).to.equal(200)
    await visit(page, at(`/databases/${database}`), database)
    await fill(page, 'Storage', '2Gi')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Settings' }).getByRole('status').getByText('Saved').waitFor()
    await tabTo(page, 'Delete this database')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect((await focused(page)).name, 'nothing was deleted').to.equal('Delete this database')
    await page.keyboard.press('Enter')
    const typed = page.getByLabel(`Type ${database} to delete the database`)
    await typed.waitFor()
    await page.keyboard.type(database)
    expect(await typed.inputValue(), 'the dialog has the focus').to.equal(database)
    await tabTo(page, 'Take a last backup first')
    await page.keyboard.press('Space')
    await tabTo(page, `Delete ${database}`)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Typed', level: 1 }).waitFor()
    // The page read the deleted database until it was left.
    view.complaints.splice(0, view.complaints.length, ...view.complaints.filter((each) => !each.includes('404')))
  })

  it('places a node, whose dialog shows what was saved, and takes that back', async () => {
    const { page } = view
    await visit(page, at('/cluster'), 'Cluster')
    const place = page.getByRole('button', { name: /^Place / }).first()
    const name = (await place.getAttribute('aria-label')) ?? ''
    await tabTo(page, name)
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name })
    const region = dialog.getByLabel('Region')
    const before = await region.inputValue()
    for (const value of ['typed-region', before]) {
      await fill(page, 'Region', value)
      if (value === '') await page.keyboard.press('Delete')
      await page.keyboard.press('Enter')
      await dialog.getByRole('status').getByText('Saved').waitFor()
      expect(await region.inputValue()).to.equal(value)
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect((await focused(page)).name).to.equal(name)
  })

  it('makes a token and revokes it', async () => {
    const { page } = view
    const [older, token] = [uniqueName('token'), uniqueName('token')]
    for (const name of [older, token]) {
      await visit(page, at('/settings/tokens'), 'Settings')
      await fill(page, 'Name', name)
      await page.keyboard.press('Enter')
      await page.getByText('Shown only now').waitFor()
    }
    await visit(page, at('/settings/tokens'), 'Settings')
    // The newest is the first.
    await tabTo(page, 'Revoke')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: `Revoke ${token}?` }).waitFor()
    await page.keyboard.type(token)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByRole('row').filter({ hasText: token }).waitFor({ state: 'hidden' })
    await untilFocused(page, 'Revoke')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: `Revoke ${older}?` }).waitFor()
    await page.keyboard.press('Escape')
  })
})
