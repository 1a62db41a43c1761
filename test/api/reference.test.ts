/** `GET /docs`: the page of the API reference, in a real browser that can reach no other host. */
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { openapiDocument } from '../../api/platform/openapi-document.ts'
import { launchChromium } from '../harness/chromium.ts'
import { startTestApi, testUsers, type TestApi } from './test-api.ts'

const operations = Object.values(openapiDocument().paths ?? {}).flatMap((methods) => Object.values(methods))

describe('the reference page', function () {
  this.timeout(240_000) // Chromium may have to be installed first
  let api: TestApi

  before(async () => {
    api = await startTestApi()
  })
  after(() => api.stop())

  it('is at GET /docs without a sign-in, and loads everything from this api', async () => {
    const page = await api.ask('GET', '/docs')
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8'])
    const loaded = [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)]
      .map(([, url = '']) => url)
      .filter((url) => !url.startsWith('data:'))
    expect(loaded).to.have.length.above(3)
    for (const url of loaded) {
      expect(url).to.match(/^\/docs\//)
      const file = await api.ask('GET', url)
      expect(file.status, url).to.equal(200)
      expect(file.text.length, url).to.be.above(100)
      if (url.endsWith('.css')) expect(file.text).not.to.match(/@import|url\((?!["']?data:)/)
    }
    expect((await api.ask('HEAD', '/docs/swagger-ui-bundle.js')).text).to.equal('')
    expect((await api.ask('GET', '/docs/nothing')).status).to.equal(404)
    expect((await api.ask('POST', '/docs', { raw: { body: '' } })).status).to.equal(404)
  })

  it('may connect to this api alone, by its content security policy', async () => {
    const policy = (await api.ask('GET', '/docs')).headers.get('content-security-policy') ?? ''
    expect(policy).to.include("default-src 'self'")
    expect(policy).not.to.match(/https?:|\*|unsafe/)
  })

  describe('in a browser', function () {
    let browser: Browser
    let page: Page
    const asked: string[] = []
    const complaints: string[] = []

    before(async () => {
      browser = await launchChromium()
      page = await browser.newPage()
      page.on('request', (request) => asked.push(request.url()))
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(error.message))
    })
    after(() => browser?.close())

    it('asks who comes from outside to sign in, and says when that fails', async () => {
      await page.goto(`${api.baseUrl}/docs`)
      await page.getByLabel('User name').fill(testUsers.viewer.username)
      await page.getByLabel('Password').fill('not the password')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('invalid username or password').waitFor()
    })

    it('shows every operation of the document, and sent no request to another host', async () => {
      // The earlier refusals: a browser logs 401 and 400 as errors.
      complaints.length = 0
      await page.getByLabel('Password').fill(testUsers.viewer.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page
        .locator('.opblock')
        .nth(operations.length - 1)
        .waitFor()
      expect(await page.locator('.opblock').count()).to.equal(operations.length)
      expect(await page.locator('#sign-in').isVisible()).to.equal(false)
      await page.getByText('Read who is calling').click()
      await page.getByText('canReadSensitive').first().waitFor()
      expect(complaints).to.deep.equal([])
      expect(asked.filter((url) => !url.startsWith(api.baseUrl) && !url.startsWith('data:'))).to.deep.equal([])
    })
  })
})
