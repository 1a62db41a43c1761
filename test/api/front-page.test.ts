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

  it('answers nothing but reads', async () => {
    expect((await api.ask('POST', '/', { raw: { body: '' } })).status).to.equal(404)
  })
})
