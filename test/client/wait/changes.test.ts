/** The change stream wakes who waits, over real HTTP and in real time; without it nothing but time is lost. */
import type { ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { createClient } from '../../../client/client.ts'
import { listenForChanges, type Changes } from '../../../client/wait/changes.ts'
import { eventually } from '../../cluster/eventually.ts'
import { startRecordedService, type Answer, type RecordedService } from '../recorded-service.ts'

describe('listenForChanges', () => {
  let service: RecordedService
  let streams: ServerResponse[]
  let changes: Changes | undefined
  beforeEach(async () => {
    service = await startRecordedService()
    streams = []
  })
  afterEach(async () => {
    changes?.stop()
    await service.stop()
  })

  const stream: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('event: connected\ndata: {"type":"connected"}\n\n')
    streams.push(response)
  }
  const say = (resource: string, name: string) =>
    streams
      .at(-1)
      ?.write(`event: change\ndata: ${JSON.stringify({ type: 'change', resource, name, op: 'update' })}\n\n`)
  const listen = (): Changes => {
    const client = createClient({ baseUrl: service.url, userAgent: 'svc/test' })
    const sleep = async (ms: number, signal?: AbortSignal) =>
      await setTimeout(ms, undefined, { signal: signal as AbortSignal })
    changes = listenForChanges(client, ({ resource, name }) => resource === 'apps' && name === 'web', sleep)
    return changes
  }
  /** Whether a sleep of a minute ends within a second. */
  const wakes = async ({ sleep }: Changes, act: () => unknown): Promise<boolean> => {
    const end = new AbortController()
    const slept = sleep(60_000, end.signal).then(() => true)
    act()
    const woke = await Promise.race([slept, setTimeout(1000, false)])
    end.abort()
    await slept.catch(() => undefined)
    return woke
  }

  it('ends a pause when the stream begins, with a change that concerns it, and with more than the stream names', async () => {
    service.on('GET /events', stream)
    const listening = listen()
    expect(await wakes(listening, () => undefined)).to.equal(true)
    expect(await wakes(listening, () => say('apps', 'web'))).to.equal(true)
    expect(await wakes(listening, () => say('resources', ''))).to.equal(true)
  })
  it('goes on waiting through changes of others', async () => {
    service.on('GET /events', stream)
    const listening = listen()
    await wakes(listening, () => undefined)
    expect(await wakes(listening, () => [say('apps', 'api'), say('databases', 'web')])).to.equal(false)
  })
  it('does not wait at all after a change that came since the last pause', async () => {
    service.on('GET /events', stream)
    const listening = listen()
    await wakes(listening, () => undefined)
    say('apps', 'web')
    say('apps', 'web')
    await setTimeout(300)
    expect(await wakes(listening, () => undefined)).to.equal(true)
    expect(await wakes(listening, () => undefined)).to.equal(false)
  })
  it('asks once where the caller may not listen, and where there is no stream', async () => {
    for (const status of [401, 403, 404]) {
      service.on('GET /events', { status, json: { error: 'no', code: 'no' } })
      expect(await wakes(listen(), () => undefined)).to.equal(false)
      changes?.stop()
    }
    expect(service.routes()).to.deep.equal(Array(3).fill('GET /events'))
  })
  it('asks again for a stream that was cut off', async function () {
    this.timeout(15_000)
    service.on('GET /events', { status: 503, json: { error: 'busy', code: 'internal_error' } }, stream)
    const listening = listen()
    await eventually('the stream is there', () => streams.length === 1)
    streams[0]?.destroy()
    await eventually('it is there again', () => streams.length === 2)
    await wakes(listening, () => undefined)
    expect(await wakes(listening, () => say('apps', 'web'))).to.equal(true)
  })
  it('hands on that the sleeper was interrupted', async () => {
    const end = new AbortController()
    const slept = listen().sleep(60_000, end.signal)
    end.abort()
    expect(await slept.catch((error: Error) => error.name)).to.equal('AbortError')
  })
  it('closes the stream when it is stopped', async () => {
    service.on('GET /events', stream)
    listen()
    await eventually('the stream is there', () => streams.length === 1)
    changes?.stop()
    await eventually('the stream is closed', () => streams[0]?.destroyed === true)
  })
})
