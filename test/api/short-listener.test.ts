/** What becomes of a read whose answer cannot be written or noted: it is logged, and its caller does not wait. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createListener, type ServerOptions } from '../../api/http/server.ts'

describe('A read in front of the application', () => {
  let server: Server
  let logged: unknown[]
  let handled: number

  before(async () => {
    const handlers = {
      'platform.version': async () => ({ api: 'v1', name: 'svc' }),
      'auth.session': async ({ origin }: { origin: { address: string } }) => {
        handled += 1
        return { authenticated: origin.address === '' }
      },
    }
    const nobody = { kind: 'nobody', username: '', role: 'viewer' }
    const viewer = { kind: 'session', username: 'vera', role: 'viewer' }
    const edge = {
      handlers,
      authenticateCached: () => viewer,
      authenticate: async () => nobody,
      readBody: async () => undefined,
      trustedProxies: [],
      dashboardUrl: () => undefined,
    }
    const log = { info: () => undefined, warn: () => undefined, error: (fields: unknown) => logged.push(fields) }
    const options = {
      edge,
      log,
      clock: () => 0,
      timing: async (_ctx: unknown, next: () => Promise<void>) => next(),
      onShortAnswer: () => {
        throw new Error('the counter is broken')
      },
      pages: [],
    }
    // As much of an edge as these two reads ask for.
    server = createServer(createListener(options as unknown as ServerOptions))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  beforeEach(() => {
    logged = []
    handled = 0
  })
  after(() => server.close())

  const read = (path: string) => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)

  it('is logged and ends when what follows the answer fails', async () => {
    await read('/api/v1/version').catch(() => undefined)
    expect(logged).to.deep.equal([{ path: '/api/v1/version', error: 'Error: the counter is broken' }])
  })

  it('is answered by the application when its handler asks for more than a read is given', async () => {
    const answer = await read('/api/session')
    expect([answer.status, await answer.json()]).to.deep.equal([200, { authenticated: false }])
    expect(handled, 'the first one was stopped where it asked').to.equal(1)
    expect(logged).to.deep.equal([])
  })
})
