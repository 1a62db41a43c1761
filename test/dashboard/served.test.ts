/** How the pages are served: what may run in them, how long what is kept, and how much the first view loads. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer, request as httpRequest, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { dashboardPage, dashboardSections } from '../../contract/platform/dashboard-page.ts'
import { refusals } from '../../contract/problem.ts'
import { buildDashboard } from '../../dashboard/build.ts'
import { launchChromium } from '../harness/chromium.ts'
import { makeAuthority } from '../harness/dashboard-endpoint.ts'
import { startTestApi, testUsers, type TestApi } from '../api/test-api.ts'

const firstViewMax = 250 * 1024

describe('the served dashboard', function () {
  this.timeout(240_000)
  let folder: string
  let api: TestApi

  before(async () => {
    folder = await buildDashboard()
    api = await startTestApi({ env: { SVC_DASHBOARD: folder } })
  })
  after(() => api?.stop())

  it('is one page for every address of its own, never kept, whose scripts come from here alone', async () => {
    for (const path of [
      '/',
      '/cluster',
      '/device?code=x',
      '/projects/proj-12345678/changes',
      '/projects/proj-12345678/logs',
      '/services/web/logs',
      '/runs',
      '/runs/x',
      ...dashboardSections.map((section) => dashboardPage('', section, 'a-name')),
    ]) {
      const { status, headers, text } = await api.ask('GET', path)
      expect([path, status, headers.get('cache-control')]).to.deep.equal([path, 200, 'no-cache'])
      expect(headers.get('content-security-policy'))
        .to.include("script-src 'self'")
        .and.not.match(/unsafe|\*|https?:/)
      expect(text).not.to.match(/<script(?![^>]*src=)|<style/)
    }
    for (const path of ['/nothing', '/services', '/assets/', '/assets/..%2Findex.html'])
      expect([path, (await api.ask('GET', path)).status]).to.deep.equal([path, 404])
    expect((await api.ask('POST', '/', { raw: { body: '' } })).status).to.equal(404)
  })

  it('says in a page of its own that nothing is at an address, and to programs in a line', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    for (const path of ['/nothing', '/services', '/a/b/c']) {
      const { status, headers, text } = await api.ask('GET', path, { headers: { accept } })
      expect([path, status, headers.get('cache-control')]).to.deep.equal([path, 404, 'no-cache'])
      expect(headers.get('content-security-policy')).to.include("script-src 'self'")
      expect(text).to.include(`src="${'../'.repeat(path.split('/').length - 2) || './'}assets/`)
    }
    for (const [path, headers] of [
      ['/nothing', { accept: '*/*' }],
      ['/nothing', { accept: 'application/json' }],
      ['/assets/index-0.js', { accept }],
      ['/api/nothing', { accept }],
    ] as const) {
      const { status, text } = await api.ask('GET', path, { headers })
      expect([path, status, text.includes('<html')]).to.deep.equal([path, 404, false])
    }
    const browser = await launchChromium()
    try {
      const page = await browser.newPage()
      expect((await page.goto(`${api.baseUrl}/nothing/here`))?.status()).to.equal(404)
      await page.getByLabel('User name').fill(testUsers.admin.username)
      await page.getByLabel('Password').fill(testUsers.admin.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'No such page' }).waitFor()
      await page.getByRole('link', { name: 'To the overview' }).click()
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    } finally {
      await browser.close()
    }
  })

  it('sends assets compressed ahead, to be kept for ever', async () => {
    const { text } = await api.ask('GET', '/')
    const [, script = ''] = /src="\.(\/assets\/[^"]+\.js)"/.exec(text) ?? []
    for (const encoding of ['br', 'gzip']) {
      const { status, headers } = await api.ask('HEAD', script, { headers: { 'accept-encoding': encoding } })
      expect([status, headers.get('content-encoding')]).to.deep.equal([200, encoding])
      expect(headers.get('cache-control')).to.equal('public, max-age=31536000, immutable')
      expect(headers.get('vary')).to.include('Accept-Encoding')
    }
    const plain = await api.ask('HEAD', script, { headers: { 'accept-encoding': 'br;q=0' } })
    expect([plain.status, plain.headers.get('content-encoding')]).to.deep.equal([200, null])
  })

  it('loads at most 250 KiB, compressed with gzip, for its first view', () => {
    const chunks = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Record<string, Chunk>
    const files = new Set<string>()
    const add = (name: string) => {
      const chunk = chunks[name]
      if (chunk === undefined || files.has(chunk.file)) return
      files.add(chunk.file)
      for (const css of chunk.css ?? []) files.add(css)
      for (const each of chunk.imports ?? []) add(each)
    }
    add('index.html')
    add('overview/page.tsx')
    const sizes = [...files].map((file) => gzipSize(join(folder, file)))
    const total = sizes.reduce((sum, size) => sum + size, 0)
    expect(files.size).to.be.above(2)
    expect(total, [...files].join(' ')).to.be.below(firstViewMax)
  })

  for (const how of ['http', 'https'] as const)
    it(`works below a path prefix that a proxy takes off, by ${how}: reads, the stream, and a write`, async () => {
      const forward: RequestListener = (incoming, outgoing) => {
        const path = (incoming.url ?? '').replace(/^\/tools\/svc(?=\/)/, '')
        const forwarded = httpRequest(
          { port: api.port, host: '127.0.0.1', method: incoming.method, path, headers: incoming.headers },
          (answer) => answer.pipe(outgoing.writeHead(answer.statusCode ?? 502, answer.headers)),
        )
        forwarded.on('error', () => outgoing.destroy())
        outgoing.on('close', () => forwarded.destroy())
        incoming.pipe(forwarded)
      }
      const proxy =
        how === 'http'
          ? createServer(forward)
          : createTlsServer(await (await makeAuthority()).issue('localhost'), forward)
      const port = await listen(proxy)
      const browser = await launchChromium()
      try {
        const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
        const complaints: string[] = []
        // svc writes the new project, too: a save on top of that is refused, and the page makes it again.
        const repeated = new Set<string>()
        page.on('response', (answer) => {
          if (answer.status() === 400)
            void answer.text().then((text) => text.includes(refusals.changedMeanwhile) && repeated.add(answer.url()))
        })
        page.on('console', (message) => {
          if (message.type() === 'error' || message.type() === 'warning')
            complaints.push(`${message.text()} ${message.location().url}`)
        })
        page.on('pageerror', (error) => complaints.push(error.message))
        await page.goto(`${how}://127.0.0.1:${port}/tools/svc/settings/account`)
        await page.getByLabel('User name').fill(testUsers.admin.username)
        await page.getByLabel('Password').fill(testUsers.admin.password)
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.getByRole('heading', { name: 'Your password' }).waitFor()
        await page.getByText('Live', { exact: true }).waitFor()
        await page.getByRole('link', { name: 'Overview' }).first().click()
        await page.getByRole('heading', { name: 'Overview' }).waitFor()
        expect(new URL(page.url()).pathname).to.match(/^\/tools\/svc\/?$/)
        await page.getByRole('button', { name: 'New project' }).first().click()
        await page.getByRole('heading', { name: /^Settings of / }).waitFor()
        const naming = page.getByRole('region', { name: 'Name and region' })
        await naming.getByLabel('Name').fill(`Behind ${how}`)
        await naming.getByRole('button', { name: 'Save' }).click()
        await page.getByRole('heading', { name: `Settings of Behind ${how}` }).waitFor()
        expect(new URL(page.url()).pathname).to.match(/^\/tools\/svc\/projects\//)
        await page.reload()
        await page.getByRole('heading', { name: `Settings of Behind ${how}` }).waitFor()
        const unexpected = complaints.filter((text) => ![...repeated].some((url) => text.endsWith(` ${url}`)))
        expect(unexpected).to.deep.equal([])
      } finally {
        await browser.close()
        proxy.closeAllConnections()
        proxy.close()
      }
    })
})

interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
}

/** What is too short to compress is sent as it is. */
function gzipSize(file: string): number {
  try {
    return readFileSync(`${file}.gz`).length
  } catch {
    return readFileSync(file).length
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port // a TCP server has one
}
