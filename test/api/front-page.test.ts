/** The page that a browser gets at the address that `npm start` prints. */
import { expect } from 'chai'
import { startTestApi, type TestApi } from './test-api.ts'

describe('the front page', function () {
  this.timeout(120_000)
  let api: TestApi

  before(async () => {
    api = await startTestApi()
  })
  after(() => api.stop())

  it('tells where to go, without a sign-in', async () => {
    const answer = await api.ask('GET', '/')
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('content-type')).to.match(/^text\/plain/)
    expect(answer.text).to.include(`${api.baseUrl}/api/v1`).and.to.include(`npx svc login --url ${api.baseUrl}`)
  })

  it('names only what answers a browser elsewhere, too', async () => {
    const { text } = await api.ask('GET', '/')
    const paths = [...text.matchAll(/https?:\/\/[^/\s]+(\/\S+)/g)].map(([, path = '']) => path)
    expect(paths).to.include('/healthz')
    const headers = { 'x-forwarded-for': '203.0.113.1' }
    for (const path of paths.filter((each) => each !== '/api/v1'))
      expect((await api.ask('GET', path, { headers })).status, path).not.to.equal(404)
  })

  it('answers nothing but reads', async () => {
    expect((await api.ask('POST', '/', { raw: { body: '' } })).status).to.equal(404)
  })
})
