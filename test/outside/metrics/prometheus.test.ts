/** The client of the metrics store with stores that answer incorrectly; test/api/metrics.test.ts queries a real one. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createPrometheus, MetricsUnavailable } from '../../../outside/metrics/prometheus.ts'

const range = { start: 0, end: 60, step: 15 }

describe('the client of the metrics store', () => {
  let server: Server | undefined

  const answering = async (answer: RequestListener): Promise<string> => {
    const made = createServer(answer)
    server = made
    await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(made.address() as AddressInfo).port}`
  }
  afterEach(async () => {
    server?.closeAllConnections()
    await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)))
    server = undefined
  })

  const refusalOf = async (address: string | undefined, withinMs = 5_000): Promise<string> => {
    const error: unknown = await createPrometheus({ address: () => address, withinMs })
      .range('up', range)
      .catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(MetricsUnavailable)
    return (error as MetricsUnavailable).message
  }
  const json =
    (body: unknown, status = 200): RequestListener =>
    (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }

  it('says that none is configured', async () => {
    expect(await refusalOf(undefined)).to.equal('no metrics store is configured')
  })

  it('says that it cannot be reached, without its address', async () => {
    const address = await answering(() => undefined)
    await new Promise((resolve) => server?.close(resolve))
    server = undefined
    expect(await refusalOf(address)).to.equal('the metrics store cannot be reached')
    expect(await refusalOf('not an address')).to.equal('the metrics store cannot be reached')
  })

  it('connects to nothing at a link-local address, by a name or literally', async () => {
    let asked = 0
    const address = await answering((_request, response) => {
      asked += 1
      response.end('{}')
    })
    for (const base of [address, address.replace('127.0.0.1', 'localhost')]) {
      const error: unknown = await createPrometheus({ address: () => base, reach: () => 'reserved' })
        .range('up', range)
        .catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(MetricsUnavailable).with.property('message', 'the metrics store cannot be reached')
    }
    expect(asked).to.equal(0)
  })

  it('gives a store up that does not answer in time', async () => {
    expect(await refusalOf(await answering(() => undefined), 50)).to.equal(
      'the metrics store did not answer within 0.05 s',
    )
  })

  it('gives a store up that stops in the middle of its answer', async () => {
    const address = await answering((_request, response) => void response.writeHead(200).write('{"status":'))
    expect(await refusalOf(address, 200)).to.equal('the metrics store did not answer within 0.2 s')
  })

  it('reports the status of a refusal', async () => {
    expect(await refusalOf(await answering(json({ status: 'error', error: 'secret detail' }, 503)))).to.equal(
      'the metrics store answered 503',
    )
  })

  it('does not follow a redirect', async () => {
    const address = await answering(
      (_request, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    )
    expect(await refusalOf(address)).to.equal('the metrics store answered 302')
  })

  for (const [what, body] of [
    ['a page', 'hello'],
    ['another shape', { items: [] }],
    ['an error', { status: 'error' }],
  ] as const) {
    it(`refuses ${what} as an answer`, async () => {
      const address = await answering(
        (_request, response) =>
          void response.writeHead(200).end(typeof body === 'string' ? body : JSON.stringify(body)),
      )
      expect(await refusalOf(address)).to.equal('the metrics store answered something else than Prometheus does')
    })
  }

  it('stops reading an answer without end', async () => {
    const address = await answering((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    })
    expect(await refusalOf(address)).to.equal('the answer of the metrics store is too large')
  })

  it('takes numbers out of texts and leaves out what is none', async () => {
    const values = [
      [15, '0.25'],
      [30, 'NaN'],
      [45, '+Inf'],
    ]
    const address = await answering(
      json({ status: 'success', data: { resultType: 'matrix', result: [{ metric: {}, values }] } }),
    )
    expect(await createPrometheus({ address: () => `${address}/` }).range('up', range)).to.deep.equal([
      { t: 15, v: 0.25 },
    ])
  })

  it('answers with no points when there is no such series', async () => {
    const address = await answering(json({ status: 'success', data: { resultType: 'matrix', result: [] } }))
    expect(await createPrometheus({ address: () => address }).range('up', range)).to.deep.equal([])
  })
})
