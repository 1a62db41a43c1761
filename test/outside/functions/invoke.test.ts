/** One request to a function for a caller: its limits, and that it is sent once. */
import { expect } from 'chai'
import { invokeOnce } from '../../../outside/functions/invoke.ts'
import { UpstreamError } from '../../../outside/upstream-error.ts'
import { startReceiver, type TestReceiver } from '../webhooks/receiver.ts'

describe('a call of a function for a caller', () => {
  let copies: TestReceiver
  beforeEach(async () => {
    copies = await startReceiver('')
  })
  afterEach(() => copies.stop())

  const invoke = (withinMs = 5_000, signal: AbortSignal = new AbortController().signal) =>
    invokeOnce(
      { host: '127.0.0.1', port: copies.port, authority: 'fn.shop.svc' },
      { method: 'GET', path: '/', body: '' },
      { withinMs, signal },
    )
  const refusal = async (asked: Promise<unknown>): Promise<string> => {
    const error: unknown = await asked.catch((failure: unknown) => failure)
    expect(error).to.be.instanceOf(UpstreamError)
    return (error as UpstreamError).message
  }

  it('is given up when no answer came in time, and when its end did not', async () => {
    copies.answer(() => undefined)
    expect(await refusal(invoke(100))).to.equal('the function did not answer within 0.1 seconds')
    copies.answer((response) => void response.writeHead(200).write('a beginning'))
    expect(await refusal(invoke(100))).to.equal('the function did not answer within 0.1 seconds')
    expect(copies.received).to.have.length(2)
  })

  it('is aborted when its caller goes away, and fails where nothing listens', async () => {
    copies.answer(() => undefined)
    const away = new AbortController()
    const asked = refusal(invoke(5_000, away.signal))
    away.abort()
    expect(await asked).to.match(/^the function could not be reached: /)
    await copies.stop()
    expect(await refusal(invoke())).to.match(/^the function could not be reached: /)
  })
})
