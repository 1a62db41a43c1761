/** What every runner of functions does alike, as tests; the code of each runtime says it in its own words. */
import { expect } from 'chai'
import { connect } from 'node:net'
import type { Runtime } from '../../kinds/apps/functions/function.ts'
import { startRunner, type StartedRunner } from './runner.ts'

const javascript = {
  http: `
    export default async function (request: Request): Promise<Response> {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname === '/fails') throw new Error('the secret of the house')
      if (pathname === '/slow') await new Promise((resolve) => setTimeout(resolve, 700))
      const said = { method: request.method, pathname, a: searchParams.get('a'), body: await request.text() }
      return Response.json(said, { status: 201, headers: { 'x-own': request.headers.get('x-asked') ?? '' } })
    }`,
  event: `
    export default async (event) => {
      if (event.data.fail) throw new Error('the secret of the house')
      console.log('event ' + event.id + ' of ' + event.type + ' with ' + JSON.stringify(event.data))
    }`,
  syntaxError: 'export default (',
  noHandler: 'export const answer = 42',
  fails: "throw new Error('cannot begin')",
}
const python = {
  http: `
import time
def handler(request):
    if request.path == "/fails":
        raise RuntimeError("the secret of the house")
    if request.path == "/slow":
        time.sleep(0.7)
    said = {"method": request.method, "pathname": request.path, "a": request.query.get("a"), "body": request.text}
    return said, 201, {"x-own": request.headers.get("x-asked", "")}
`,
  event: `
import json
async def handler(event):
    if event["data"].get("fail"):
        raise RuntimeError("the secret of the house")
    print("event", event["id"], "of", event["type"], "with", json.dumps(event["data"]), flush=True)
`,
  syntaxError: 'def handler(',
  noHandler: 'answer = 42',
  fails: 'raise RuntimeError("cannot begin")',
}

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers })
const binaryEvent = { 'ce-specversion': '1.0', 'ce-id': 'e1', 'ce-source': '/test', 'ce-type': 'made' }
const asJson = { 'content-type': 'application/json' }

/** Declares the tests of one runner; `program` is the path of its runtime. */
export function itRunsFunctions(runtime: Runtime, program: () => string): void {
  const code = runtime === 'python' ? python : javascript
  let runner: StartedRunner
  before(async () => {
    runner = await startRunner(runtime, program(), code.http)
  })
  after(() => runner.stop('SIGKILL'))

  it('passes on method, path, query, headers and body, and answers as the code does', async () => {
    const answer = await post(`${runner.url}/path?a=1%202`, 'grüße', { 'x-asked': 'yes' })
    expect(answer.status).to.equal(201)
    expect(answer.headers.get('x-own')).to.equal('yes')
    expect(await answer.json()).to.deep.equal({ method: 'POST', pathname: '/path', a: '1 2', body: 'grüße' })
    const head = await fetch(runner.url, { method: 'HEAD' })
    expect([head.status, await head.text()]).to.deep.equal([201, ''])
  })
  it('answers an error with 500 without its stack, which is in the log, and goes on', async () => {
    const answer = await fetch(`${runner.url}/fails`)
    expect([answer.status, await answer.text()]).to.deep.equal([500, 'the function failed\n'])
    expect(runner.said())
      .to.include('the secret of the house')
      .and.to.match(/index\.mts|main\.py/)
    expect((await fetch(runner.url)).status).to.equal(201)
  })
  it('refuses a body over 10 MiB, with a Content-Length or in chunks', async () => {
    const large = Buffer.alloc(10 * 1024 * 1024 + 1)
    expect((await post(runner.url, large.toString())).status).to.equal(413)
    const chunks = new ReadableStream({
      start: (into) => {
        into.enqueue(large)
        into.close()
      },
    })
    const sent: RequestInit = { method: 'POST', body: chunks, duplex: 'half' }
    expect((await fetch(runner.url, sent)).status).to.equal(413)
  })
  it('answers hostile request lines without ending', async () => {
    for (const line of ['GET http://[ HTTP/1.1', 'GET // HTTP/1.1', 'POST / HTTP/1.1\r\ncontent-length: x', 'x'])
      expect(await raw(runner.url, `${line}\r\nhost: a b\r\nconnection: close\r\n\r\n`), line).to.not.match(/ 500 /)
    expect((await fetch(runner.url)).status).to.equal(201)
  })
  it('answers its health path by itself', async () => {
    expect((await fetch(`${runner.url}/.svc/health`)).status).to.equal(200)
  })
  it('finishes what it answers when it is asked to end, with code 0', async () => {
    const own = await startRunner(runtime, program(), code.http)
    const answer = fetch(`${own.url}/slow`)
    await new Promise((resolve) => setTimeout(resolve, 250))
    const ended = own.stop()
    expect((await answer).status).to.equal(201)
    expect(await ended).to.equal(0)
  })
  it('in event mode takes CloudEvents of both forms with 204, fails with 500, and refuses what is none', async () => {
    const own = await startRunner(runtime, program(), code.event, 'event')
    expect((await post(own.url, '{"n":1}', { ...binaryEvent, ...asJson })).status).to.equal(204)
    const whole = { specversion: '1.0', id: 'e2', source: '/test', type: 'made', data: { n: 2 } }
    const structured = { 'content-type': 'application/cloudevents+json; charset=utf-8' }
    expect((await post(own.url, JSON.stringify(whole), structured)).status).to.equal(204)
    const failed = await post(own.url, '{"fail":true}', { ...binaryEvent, ...asJson })
    expect([failed.status, await failed.text()]).to.deep.equal([500, 'the function failed\n'])
    expect((await post(own.url, '{}', asJson)).status).to.equal(400)
    expect((await post(own.url, '{', { ...binaryEvent, ...asJson })).status).to.equal(400)
    expect((await fetch(own.url)).status).to.equal(405)
    expect(own.said()).to.match(/event e1 of made with [^]*event e2 of made with/)
    await own.stop('SIGKILL')
  })
  for (const [what, broken, says] of [
    ['a syntax error', code.syntaxError, /SyntaxError|error: /],
    ['no handler', code.noHandler, /the code (exports|has) no handler/],
    ['code that fails at its start', code.fails, /cannot begin/],
  ] as const)
    it(`ends with what is wrong: ${what}`, async () => {
      const error = await startRunner(runtime, program(), broken).then(
        () => 'it serves',
        (reason: unknown) => String(reason),
      )
      expect(error).to.match(says).and.to.include('exit code 1')
    })
}

/** The answer to bytes that no client library sends. */
function raw(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text))
    let said = ''
    socket.on('data', (data) => (said += String(data)))
    socket.on('close', () => resolve(said))
    socket.on('error', reject)
  })
}
