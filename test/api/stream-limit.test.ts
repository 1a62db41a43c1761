/** How many streams one caller, and all callers together, may have open at once. */
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { createStreamLimit } from '../../api/http/stream-limit.ts'
import type { Caller } from '../../contract/caller.ts'
import { openStreams } from '../../contract/limits.ts'
import { eventually } from '../cluster/eventually.ts'
import { startTestApi, type TestApi } from './test-api.ts'

const user = (username: string): Caller => ({ kind: 'session', username, role: 'admin' })
const token = (tokenId: string): Caller => ({ kind: 'token', username: 'ann', role: 'observer', tokenId })
/** An answer that is closed by `emit('close')`. */
const answer = (closed = false): ServerResponse => Object.assign(new EventEmitter(), { closed }) as ServerResponse

describe('open streams', () => {
  it('are counted by caller and together, logs apart from changes, until their answers are closed', () => {
    const limit = createStreamLimit({
      events: { perCaller: 2, total: 3 },
      logs: { perCaller: 1, total: 2 },
      terminals: { perCaller: 1, total: 1 },
    })
    const open = answer()
    limit.admit('platform.events', user('ann'), open)
    limit.admit('platform.events', user('ann'), answer())
    expect(() => limit.admit('platform.events', user('ann'), answer())).to.throw(
      'a caller may have 2 streams of events open at once',
    )
    limit.admit('platform.events', token('ann'), answer())
    expect(() => limit.admit('platform.events', user('bob'), answer())).to.throw('too many streams of events are open')
    limit.admit('apps.logs-stream', user('ann'), answer())
    expect(() => limit.admit('projects.logs-stream', user('ann'), answer())).to.throw(
      'a caller may have 1 streams of logs open at once',
    )
    limit.admit('apps.console', user('ann'), answer())
    expect(() => limit.admit('apps.console', user('ann'), answer())).to.throw(
      'a caller may have 1 terminals open at once',
    )
    expect(() => limit.admit('apps.console', user('bob'), answer())).to.throw('too many terminals are open')
    open.emit('close')
    limit.admit('platform.events', user('ann'), answer(true))
    limit.admit('platform.events', user('bob'), answer())
  })

  describe('of an api', () => {
    let api: TestApi
    before(async function () {
      this.timeout(60_000)
      api = await startTestApi()
    })
    after(() => api.stop())

    it('beyond those of a caller are 429, and a closed one makes way for another', async () => {
      const observer = await api.token({ role: 'observer' })
      const { project } = (await api.ask('POST', '/api/v1/projects', { cookie: await api.signIn('admin'), json: {} }))
        .body
      const ended = new AbortController()
      const stream = async (bearer: string): Promise<number> => {
        const headers = { authorization: `Bearer ${bearer}` }
        return (await fetch(`${api.baseUrl}/api/v1/projects/${project}/logs/stream`, { headers, signal: ended.signal }))
          .status
      }
      const many = await Promise.all(Array.from({ length: openStreams.logs.perCaller + 1 }, () => stream(observer)))
      expect(many.toSorted((a, b) => a - b)).to.deep.equal([
        ...Array.from({ length: openStreams.logs.perCaller }, () => 200),
        429,
      ])
      const refused = await api.ask('GET', `/api/v1/projects/${project}/logs/stream`, { token: observer })
      expect([refused.status, refused.body]).to.deep.equal([
        429,
        { error: 'a caller may have 20 streams of logs open at once', code: 'rate_limited' },
      ])
      expect(await stream(await api.token({ role: 'observer' }))).to.equal(200)
      ended.abort()
      const next = new AbortController()
      await eventually('another may be opened', async () => {
        const { status } = await fetch(`${api.baseUrl}/api/v1/projects/${project}/logs/stream`, {
          headers: { authorization: `Bearer ${observer}` },
          signal: next.signal,
        })
        return status === 200
      })
      next.abort()
      const { displayName } = (await api.ask('GET', `/api/v1/projects/${project}`, { token: observer })).body.resource
      await api.ask('DELETE', `/api/v1/projects/${project}?confirmName=${encodeURIComponent(displayName)}`, {
        cookie: await api.signIn('admin'),
      })
    }).timeout(30_000)
  })
})
