/** Waiting for a database over real HTTP, with a clock that only the wait advances. */
import { expect } from 'chai'
import { createClient } from '../../../client/client.ts'
import { waitForRecord, type RecordWait } from '../../../client/wait/record.ts'
import { startRecordedService, type Answer, type RecordedService } from '../recorded-service.ts'
import { recordOf, waiting } from '../records.ts'

const away: Answer = { status: 502, json: { error: 'could not load the resources', code: 'internal_error' } }
const gone: Answer = { status: 404, json: { error: 'database not found', code: 'not_found' } }
const before = recordOf({}, 'old')

describe('waitForRecord', () => {
  let service: RecordedService
  let slept: number[]
  beforeEach(async () => {
    service = await startRecordedService()
    slept = []
  })
  afterEach(async () => await service.stop())

  const answers = (...list: Answer[]): void => service.on('GET /databases/calm-otter', ...list)
  const wait = async (options: Partial<RecordWait> = {}) => {
    const client = createClient({ baseUrl: service.url, userAgent: 'svc/test' })
    return await waitForRecord({
      read: async (signal) => await client.call('databases.get', { db: 'calm-otter' }, { signal }),
      goal: 'ready',
      before,
      timeoutMs: 60_000,
      now: () => slept.reduce((sum, ms) => sum + ms, 0),
      sleep: async (ms) => void slept.push(ms),
      ...options,
    })
  }

  it('reads every three seconds until it is ready, over what was before and a server that is away', async () => {
    answers({ json: before }, away, { json: waiting('Waiting for the database', 'old') }, { json: recordOf({}, 'new') })
    const troubles: string[] = []
    const { outcome, elapsedMs, status } = await wait({ onTrouble: ({ message }) => void troubles.push(message) })
    expect({ outcome, elapsedMs, status, troubles }).to.deep.equal({
      outcome: 'complete',
      elapsedMs: 9000,
      status: recordOf({}, 'new'),
      troubles: ['could not load the resources'],
    })
    expect(slept).to.deep.equal([3000, 3000, 3000])
  })
  it('tells a failure with its message', async () => {
    answers({ json: waiting('x') }, { json: recordOf({ state: 'failed', message: 'no such storage class' }, 'new') })
    expect(await wait()).to.deep.include({ outcome: 'failed', reason: 'no such storage class', elapsedMs: 3000 })
  })
  it('ends at its time limit and says what it waited for', async () => {
    answers({ json: waiting('Set up the MinIO server in cluster settings first') })
    const wanted = { outcome: 'timedOut', reason: 'Set up the MinIO server in cluster settings first', elapsedMs: 4000 }
    expect(await wait({ timeoutMs: 4000 })).to.deep.include(wanted)
    expect(slept).to.deep.equal([3000, 1000])
  })
  it('waits until there is no record any more', async () => {
    answers({ json: recordOf({ state: 'deleting' }) }, away, { json: recordOf({ state: 'deleting' }) }, gone)
    expect(await wait({ goal: 'gone' })).to.deep.equal({
      outcome: 'complete',
      reason: '',
      status: undefined,
      elapsedMs: 9000,
    })
  })
  it('stops at once when what should get ready is gone', async () => {
    answers(gone)
    await wait().then(
      () => expect.fail('it went on'),
      (error: Error) => expect(error.message).to.equal('database not found'),
    )
  })
})
