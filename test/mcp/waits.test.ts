/**
 * Waits of an agent, over both transports: they report progress, and stop when the agent cancels or goes away, which
 * changes nothing about the deploy.
 */
import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { startRecordedService, type RecordedService } from '../client/recorded-service.ts'
import { attempt, pending, statusOf } from '../client/status.ts'
import { startReceiver } from '../outside/webhooks/receiver.ts'
import { startAgentHost, startStdioAgent, textOf, type Agent, type AgentHost } from './agent.ts'
import { startHeldProcess } from './held-process.ts'

const token = 'svw_a_b'
const me = { username: 'a', role: 'admin', canMutate: true, canReadSensitive: true, authentication: 'token' }
const accepted = { ok: true, pending: [], deployed: true, title: '', detail: '', button: '' }
const revoked = { status: 401, json: { error: 'invalid or expired API token', code: 'unauthenticated' } }
const noCapacity = 'no node has capacity for a copy'
/** Two looks are three seconds apart: a wait that goes on reads in this time. */
const nextLookMs = 4000
const quietMs = 200

describe('agents that wait for a deploy', function () {
  this.timeout(60_000)
  let service: RecordedService
  let host: AgentHost
  beforeEach(async () => {
    service = await startRecordedService()
    service.on('GET /me', { json: me })
    service.on('GET /apps/web/status', { json: pending('web-new', noCapacity) })
    service.on('POST /apps/web/deploy', { json: accepted })
    host = await startAgentHost(service.url)
  })
  afterEach(async () => {
    await host.stop()
    await service.stop()
  })
  const statusReads = () => service.routes().filter((route) => route === 'GET /apps/web/status').length
  const expectNoWait = async (): Promise<void> => {
    await sleep(quietMs)
    const read = statusReads()
    await sleep(nextLookMs)
    expect(statusReads() - read).to.equal(0)
    expect(service.routes().filter((route) => route.startsWith('POST'))).to.deep.equal(['POST /apps/web/deploy'])
  }

  const transports: [string, () => Promise<Agent>][] = [
    ['over HTTP', async () => await host.agent(token)],
    ['on standard input and output', async () => await startStdioAgent(service.url, token)],
  ]
  for (const [title, connect] of transports)
    describe(title, () => {
      let agent: Agent
      beforeEach(async () => (agent = await connect()))
      afterEach(async () => await agent.close())

      it('get progress notifications', async () => {
        const seen: { progress: number; total?: number | undefined; message?: string | undefined }[] = []
        const before = statusOf({ lastAttempt: attempt('web-old', 'Succeeded') })
        const done = statusOf({ lastAttempt: attempt('web-new', 'Succeeded') })
        const statuses = [before, pending('web-new', noCapacity), done]
        service.on('GET /apps/web/status', ...statuses.map((json) => ({ json })))
        const options = { onprogress: (step: (typeof seen)[number]) => void seen.push(step) }
        const answer = await agent.ok('deploy_app', { app: 'web', wait: true }, options)
        expect(answer).to.include({ app: 'web', outcome: 'complete' })
        expect(seen.length).to.be.at.least(1)
        expect(seen[0]).to.include({ total: 300 })
        expect(seen[0]?.message).to.include(noCapacity)
      })
      it('stop when the agent cancels, and the deploy is not touched', async () => {
        const cancel = new AbortController()
        const onprogress = () => cancel.abort()
        const waiting = agent.call('deploy_app', { app: 'web', wait: true }, { signal: cancel.signal, onprogress })
        expect(await waiting.catch((error: unknown) => error)).to.be.instanceOf(Error)
        await expectNoWait()
        expect(await agent.ok('whoami')).to.deep.equal(me)
      })
      it('stop when the agent goes away, and the deploy is not touched', async () => {
        await new Promise<void>((resolve) => {
          agent.call('deploy_app', { app: 'web', wait: true }, { onprogress: () => resolve() }).catch(() => undefined) // the connection is cut below
        })
        await agent.close()
        await expectNoWait()
      })
      it('get the end of their time as a result', async () => {
        const result = await agent.call('deploy_app', { app: 'web', wait: true, timeout_seconds: 1 })
        expect(result.isError).to.equal(undefined)
        expect(result.structuredContent).to.include({ outcome: 'timed_out', reason: noCapacity })
        expect(textOf(result)).to.match(/the deploy goes on, look with app_status$/)
      })
      it('get progress of the call of a function, which ends when they cancel it', async () => {
        const copies = await startReceiver('')
        try {
          service.on('GET /apps/fn', { json: { resource: {}, spec: { source: { function: {} } }, status: {} } })
          service.on('GET /apps/fn/status', { json: statusOf({ url: copies.url }) })
          const gone = new Promise<void>((resolve) => copies.answer((response) => response.once('close', resolve)))
          const seen: object[] = []
          const cancel = new AbortController()
          const onprogress = (step: object) => {
            seen.push(step)
            cancel.abort()
          }
          const calling = agent.call('invoke_function', { app: 'fn' }, { signal: cancel.signal, onprogress })
          expect(await calling.catch((error: unknown) => error)).to.be.instanceOf(Error)
          expect(seen[0]).to.include({ total: 120, message: 'waiting for the answer of fn' })
          await gone
        } finally {
          await copies.stop()
        }
      })
      it('get the refusal of a token that is revoked meanwhile', async () => {
        const onprogress = () => service.on('GET /apps/web/status', revoked)
        const result = await agent.call('deploy_app', { app: 'web', wait: true }, { onprogress })
        expect(result.isError).to.equal(true)
        expect(textOf(result)).to.match(/^invalid or expired API token \[the token is not valid/)
      })
    })

  it('let svc mcp end by itself when its standard input is closed in the middle of a wait', async () => {
    const held = await startHeldProcess(service.url, token)
    held.call('deploy_app', { app: 'web', wait: true })
    await held.progress()
    expect(await held.hangUp()).to.deep.equal({ code: 0, signal: null })
    await expectNoWait()
  })
})
