/** PlanetScale's API against a small HTTP server that stands in for it: the requests, and the errors. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { createPlanetScale, planetScaleSettings } from '../../../outside/planetscale/planetscale.ts'
import { UpstreamError } from '../../../outside/upstream-error.ts'

const keys = { token: 'token-id:token-value', organization: 'our org' }

describe('PlanetScale (a small server stands in for it)', () => {
  let server: Server
  let endpoint: string
  let answer: { status: number; body: string } | undefined
  let asked: { method: string; path: string; headers: IncomingHttpHeaders; body: string }

  before(async () => {
    server = createServer((request, response) => {
      void text(request).then((body) => {
        asked = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
        if (answer !== undefined)
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` // a TCP server has one
  })
  after(() => {
    server.close()
    server.closeAllConnections()
  })

  const troubleIn = async (callMs: number): Promise<UpstreamError> => {
    const error: unknown = await createPlanetScale({ endpoint, callMs })(keys)
      .ask('GET', '')
      .catch((caught: unknown) => caught)
    if (error instanceof UpstreamError) return error
    return expect.fail('it succeeded')
  }

  it('asks about its organization with the service token', async () => {
    answer = { status: 201, body: '{"id":"1"}' }
    expect(
      await createPlanetScale({ endpoint, callMs: 20_000 })(keys).ask('POST', '/databases', { name: 'shop' }),
    ).to.deep.equal({ id: '1' })
    expect(asked).to.deep.include({
      method: 'POST',
      path: '/v1/organizations/our%20org/databases',
      body: '{"name":"shop"}',
    })
    expect(asked.headers.authorization).to.equal('token-id:token-value')
  })

  it('tells a refusal as <status>: <body>, without the token', async () => {
    answer = { status: 401, body: '{"code":"unauthorized","message":"token-value is\\n not valid"}' }
    expect(await troubleIn(20_000)).to.deep.include({
      status: 401,
      code: 'unauthorized',
      message: '401: unauthorized: *** is not valid',
      passing: false,
    })
    answer = { status: 404, body: 'nothing here' }
    expect(await troubleIn(20_000)).to.deep.include({
      status: 404,
      code: '',
      message: '404: nothing here',
      passing: false,
    })
  })

  it('takes silence, throttling and its own errors as something that passes', async () => {
    for (const status of [429, 500, 503]) {
      answer = { status, body: '{}' }
      expect((await troubleIn(20_000)).passing).to.equal(true)
    }
    answer = undefined
    expect(await troubleIn(200)).to.deep.include({
      status: 0,
      message: 'PlanetScale does not answer: TimeoutError',
      passing: true,
    })
    server.closeAllConnections()
  })

  it('is asked at its own address unless the environment names another', () => {
    expect(planetScaleSettings({})).to.deep.equal({ endpoint: 'https://api.planetscale.com/v1', callMs: 10_000 })
    expect(
      planetScaleSettings({ SVC_PLANETSCALE_ENDPOINT: 'http://127.0.0.1:1', SVC_PLANETSCALE_CALL_MS: '5' }),
    ).to.deep.equal({
      endpoint: 'http://127.0.0.1:1',
      callMs: 5,
    })
  })
})
