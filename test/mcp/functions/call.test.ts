/** Calling a function: its answers whatever they are, and what is never called. */
import { expect } from 'chai'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callFunction } from '../../../mcp/functions/call.ts'

const mebibyte = 1024 * 1024

describe('the call of a function', () => {
  let server: Server
  let url: string
  let answer: RequestListener
  before(async () => {
    server = createServer((request, response) => answer(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const call = async (request: Partial<Parameters<typeof callFunction>[1]> = {}, timeoutMs = 5000, address = url) =>
    await callFunction(
      address,
      { method: 'POST', path: '/', ...request },
      { signal: new AbortController().signal, nearby: true, timeoutMs },
    )

  it('answers status, type and body, an error of the function included', async () => {
    answer = (request, response) => {
      response.writeHead(503, { 'content-type': 'text/plain' })
      response.end(
        `${request.method} ${request.url} ${request.headers['content-type']} ${request.headers.authorization}`,
      )
    }
    expect(await call({ path: '/a?b=1', body: '{"c":2}' })).to.deep.equal({
      status: 503,
      content_type: 'text/plain',
      body: 'POST /a?b=1 application/json undefined',
      truncated: false,
    })
    expect((await call({ body: 'plain words' })).body).to.include('text/plain')
  })
  it('finds a name below localhost on this machine, also where its resolver knows none', async () => {
    answer = (request, response) => response.end(request.headers.host)
    const address = url.replace('127.0.0.1', 'greet-first.localhost')
    expect((await call({}, undefined, address)).body).to.equal(new URL(address).host)
  })
  it('does not follow a redirect', async () => {
    answer = (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()
    expect(await call()).to.include({ status: 302 })
  })
  for (const [size, truncated] of [
    [mebibyte, false],
    [mebibyte + 1, true],
    [8 * mebibyte, true],
  ] as const)
    it(`reads one mebibyte of ${size} bytes`, async () => {
      answer = (_, response) => response.end('x'.repeat(size))
      const { body, truncated: cut } = await call()
      expect([body.length, cut]).to.deep.equal([mebibyte, truncated])
    })
  it('fails after its time limit', async () => {
    answer = () => undefined
    await rejected(call({}, 50), 'the function did not answer within 0.05 seconds')
  })
  it('is cancelled when the agent cancels', async () => {
    answer = () => undefined
    const cancel = new AbortController()
    const calling = callFunction(url, { method: 'GET', path: '/' }, { signal: cancel.signal, nearby: true })
    setTimeout(() => cancel.abort(), 30)
    await calling.then(
      () => expect.fail('it answered'),
      (error: unknown) => expect(error).to.have.property('name', 'AbortError'),
    )
  })
  const never: [string, boolean][] = [
    ['http://127.0.0.1:9', false],
    ['http://localhost:9', false],
    ['http://greet-first.localhost:9', false],
    ['http://[::1]:9', false],
    ['http://[::ffff:127.0.0.1]:9', false],
    ['http://169.254.169.254', true],
    ['http://[fe80::1]', true],
    ['http://[::ffff:169.254.169.254]', true],
    ['http://168.63.129.16:9', true],
    ['http://100.100.100.200:9', true],
    ['http://[64:ff9b::a9fe:a9fe]:9', true],
    ['http://[64:ff9b:1::a9fe:a9fe]:9', true],
    ['http://[64:ff9b::a83f:8110]:9', true],
    ['http://[2002:a9fe:a9fe::1]:9', true],
    ['http://[64:ff9b::7f00:1]:9', false],
    ['http://0.0.0.0:9', true],
  ]
  for (const [address, nearby] of never)
    it(`never calls ${address}${nearby ? '' : ' of a platform elsewhere'}`, async () => {
      const calling = callFunction(
        address,
        { method: 'GET', path: '/' },
        { signal: new AbortController().signal, nearby, timeoutMs: 2000 },
      )
      await rejected(calling, 'the address of the function is not one that may be called')
    })
  it('keeps to its host whatever the path', async () => {
    answer = (request, response) => response.end(request.url)
    expect((await call({ path: '//127.0.0.1:9/x' })).body).to.equal('//127.0.0.1:9/x')
    expect((await call({ path: '/@127.0.0.1:9/' })).body).to.equal('/@127.0.0.1:9/')
  })
})

async function rejected(promise: Promise<unknown>, sentence: string): Promise<void> {
  const message = await promise.then(
    () => 'it answered',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  expect(message).to.equal(sentence)
}
