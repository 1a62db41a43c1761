/** The runners of functions as processes, on the runtimes that every machine of a developer has. */
import { expect } from 'chai'
import { itRunsFunctions } from '../harness/runner-behaviour.ts'
import { startRunner } from '../harness/runner.ts'

describe('the runner of functions on node', function () {
  this.timeout(60_000)
  itRunsFunctions('node', () => process.execPath)

  it('takes an object with fetch, and a function that is exported as fetch', async () => {
    for (const code of [
      "export default { word: 'one', fetch() { return new Response(this.word) } }",
      "export const fetch = () => new Response('one')",
    ]) {
      const own = await startRunner('node', process.execPath, code)
      expect(await (await fetch(own.url)).text()).to.equal('one')
      await own.stop('SIGKILL')
    }
  })
  it('streams an answer, and keeps cookies apart', async () => {
    const code = `export default () => new Response(
      new ReadableStream({ start(into) { into.enqueue(new TextEncoder().encode('a')); into.close() } }),
      { headers: [['set-cookie', 'a=1'], ['set-cookie', 'b=2']] })`
    const own = await startRunner('node', process.execPath, code)
    const answer = await fetch(own.url)
    expect(await answer.text()).to.equal('a')
    expect(answer.headers.getSetCookie()).to.deep.equal(['a=1', 'b=2'])
    await own.stop('SIGKILL')
  })
  it('answers 500 where the handler returns no Response', async () => {
    const own = await startRunner('node', process.execPath, "export default () => 'text'")
    expect((await fetch(own.url)).status).to.equal(500)
    expect(own.said()).to.include('the handler returned no Response')
    await own.stop('SIGKILL')
  })
})

describe('the runner of functions on python', function () {
  this.timeout(60_000)
  itRunsFunctions('python', () => 'python3')

  it('takes an ASGI application', async () => {
    const code = `
async def app(scope, receive, send):
    body = (await receive())["body"]
    await send({"type": "http.response.start", "status": 202, "headers": [(b"x-path", scope["path"].encode())]})
    await send({"type": "http.response.body", "body": b"got ", "more_body": True})
    await send({"type": "http.response.body", "body": body})
`
    const own = await startRunner('python', 'python3', code)
    const answer = await fetch(`${own.url}/a%20b`, { method: 'POST', body: 'this' })
    expect([answer.status, answer.headers.get('x-path'), await answer.text()]).to.deep.equal([202, '/a b', 'got this'])
    await own.stop('SIGKILL')
  })
})
