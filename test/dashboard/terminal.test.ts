/** The terminal on the page of a service: a real shell in a real browser, under the policy of the pages. */
import { expect } from 'chai'
import { violations } from './axe.ts'
import { startTestDashboard, uniqueName, type TestDashboard } from './dashboard.ts'

describe('the terminal of the dashboard', function () {
  this.timeout(180_000)
  let dashboard: TestDashboard
  const service = uniqueName('shell')

  before(async () => {
    dashboard = await startTestDashboard()
    const project = await dashboard.project('Terminals')
    await dashboard.ask('POST', '/api/v1/apps', {
      cookie: await dashboard.signIn('admin'),
      json: { project, environment: 'production', name: service, image: 'svc/hello:1', deploy: true },
    })
  })
  after(() => dashboard?.stop())

  it('opens where an admin asks for it, runs what is typed, and says how it ended', async () => {
    const { page, complaints } = await dashboard.open(`/services/${service}/terminal`)
    await page.getByRole('button', { name: 'Open a terminal' }).click()
    await page.getByText('Shift-Tab leaves the terminal.').waitFor()
    await page.keyboard.type('echo $((6 * 7))-shown; stty size\n')
    await page.locator('.xterm-rows').getByText('42-shown').waitFor()
    const size = await page
      .locator('.xterm-rows')
      .getByText(/^\d+ \d+$/)
      .textContent()
    const [rows = 0, columns = 0] = (size ?? '').split(' ').map(Number)
    expect([rows > 10, columns > 60], size ?? '').to.deep.equal([true, true])

    expect(await violations(page)).to.deep.equal([])

    await page.keyboard.press('Shift+Tab')
    const focused = await page.evaluate<string>('document.activeElement.textContent')
    expect(focused, 'the keyboard left the terminal').to.equal('Close')
    await page.locator('.xterm').click()
    await page.keyboard.type('exit\n')
    await page.getByText('It ended with exit code 0.').waitFor()
    await page.getByRole('button', { name: 'Open it again' }).click()
    await page.getByText('Shift-Tab leaves the terminal.').waitFor()
    expect(complaints).to.deep.equal([])
  })

  it('draws with the font and the colours of its own, though markup sets no style', async () => {
    const { page, complaints } = await dashboard.open(`/services/${service}/terminal`)
    await page.getByRole('button', { name: 'Open a terminal' }).click()
    await page.getByText('Shift-Tab leaves the terminal.').waitFor()
    await page.keyboard.type(`printf '\\033[31mred\\033[0m\\n'\n`)
    const red = '.xterm-rows .xterm-fg-1'
    await page.locator(red).waitFor()
    const colour = await page.evaluate<string>(`getComputedStyle(document.querySelector('${red}')).color`)
    expect(colour).to.equal('rgb(204, 0, 0)')
    expect(complaints).to.deep.equal([])
  })

  it('is closed to viewers, with the reason', async () => {
    const { page, complaints } = await dashboard.open(`/services/${service}/terminal`, 'viewer')
    await page.getByText('Terminals are for administrators').waitFor()
    expect(await page.getByRole('button', { name: 'Open a terminal' }).count()).to.equal(0)
    expect(complaints).to.deep.equal([])
  })
})
