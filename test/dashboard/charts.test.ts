/** The words that charts draw on their canvas: times with their zone, and values that fit beside the axis. */
import { expect } from 'chai'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

/** A text on the canvas, with the place of its left edge in pixels of the page. */
interface Drawn {
  readonly text: string
  readonly left: number
}

/** Runs in the page, and keeps what is drawn in `drawnTexts`. */
const listening = `
  globalThis.drawnTexts = []
  const draw = CanvasRenderingContext2D.prototype.fillText
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const { width } = this.measureText(text)
    const before = { right: width, end: width, center: width / 2 }[this.textAlign] ?? 0
    drawnTexts.push({ text, left: this.getTransform().transformPoint({ x: x - before, y }).x })
    draw.call(this, text, x, y)
  }`

describe('the charts of the dashboard', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let view: View
  const service = uniqueName('measured')

  before(async () => {
    dashboard = await startTestDashboard()
    const project = await dashboard.project('Charted')
    const cookie = await dashboard.signIn('admin')
    const json = { project, environment: 'production', name: service, image: 'svc/hello:1' }
    await dashboard.ask('POST', '/api/v1/apps', { cookie, json })
    // Half an hour off UTC, so that no time of the zone is one of UTC by chance.
    view = await dashboard.open('/runs', 'admin', { timezoneId: 'Asia/Kolkata' })
  })
  after(() => dashboard?.stop())
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  const drawn = async (cpu: number): Promise<Drawn[]> => {
    const { page } = view
    const to = Date.parse('2026-11-24T05:00:00Z') / 1000
    const points = (v: number) => Array.from({ length: 61 }, (_, at) => ({ t: to - 900 + at * 15, v }))
    const series = { cpu: points(cpu), memory: points(1023 * 1024 ** 2), network: points(1e9), networkIn: points(1) }
    const answer = { window: '15m', step: 15, available: true, series }
    await page.route('**/metrics?*', (route) => route.fulfill({ json: answer }))
    await page.addInitScript(listening)
    await page.goto(`${dashboard.baseUrl}/services/${service}/metrics`)
    await page
      .getByRole('img', { name: /^CPU: / })
      .locator('canvas')
      .waitFor()
    await page.waitForFunction("drawnTexts.some(({ text }) => text.endsWith('cores'))")
    return await page.evaluate<Drawn[]>('drawnTexts')
  }

  it('say times in UTC, as the lines of logs and the command line do', async () => {
    const times = (await drawn(0.2)).map(({ text }) => text).filter((text) => text.includes(':'))
    expect(times).to.include.members(['04:50Z', '04:55Z'])
    expect(times.filter((text) => !/^0[45]:\d\dZ$/.test(text))).to.deep.equal([])
  })

  it('draw no value over the edge', async () => {
    for (const cpu of [0.2, 123.4]) {
      const texts = await drawn(cpu)
      expect(texts.some(({ text }) => text.endsWith('cores'))).to.equal(true)
      expect(texts.filter(({ left }) => left < 0)).to.deep.equal([])
    }
  })
})
