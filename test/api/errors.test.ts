/**
 * Failures of the cluster or the api: callers get 502 or 500 in fixed words
 * (docs/reference/conventions.md#500-and-502), only the log has the cause.
 */
import { expect } from 'chai'
import { ClusterError, noAnswer } from '../../cluster/objects/errors.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type TestApi } from './test-api.ts'

const cut = () => new ClusterError(0, noAnswer.unreachable, 'the link to 10.1.2.3 is cut')
const overrun = () => new ClusterError(503, 'ServiceUnavailable', 'etcdserver: leader changed')
const mistake = () => new TypeError("Cannot read properties of undefined (reading 'secret-inside')")

describe('a failure', () => {
  let api: TestApi
  let token: string
  let failing: (() => Error) | undefined

  before(async function () {
    this.timeout(60_000)
    const { client } = await useStack()
    api = await startTestApi({
      client: {
        ...client,
        get: (ref, options) =>
          failing !== undefined && ref.name === 'not-there' ? Promise.reject(failing()) : client.get(ref, options),
        create: (type, object, options) =>
          failing === undefined ? client.create(type, object, options) : Promise.reject(failing()),
      },
    })
    token = await api.token({ role: 'admin' })
  })
  after(() => api.stop())

  const read = ['GET', '/apps/not-there'] as const
  const write = ['POST', '/apps/not-there/deploy'] as const
  const create = ['POST', '/projects'] as const
  const rows: [
    title: string,
    error: () => Error,
    asked: readonly [string, string],
    status: number,
    sentence: string,
  ][] = [
    ['Errors 502: a read, no answer from the cluster', cut, read, 502, 'could not load the resources'],
    ['Errors 502: a read, an answer that the cluster is busy', overrun, read, 502, 'could not load the resources'],
    ['Errors 502: a write, no answer from the cluster', cut, write, 502, 'could not complete the request'],
    ['Errors 502: a create, no answer from the cluster', cut, create, 502, 'could not complete the request'],
    ['Errors 500: a read, a mistake of ours', mistake, read, 500, 'could not load the resources'],
    ['Errors 500: a write, a mistake of ours', mistake, write, 500, 'could not complete the request'],
  ]
  for (const [title, error, [method, path], status, sentence] of rows) {
    it(`${title}: ${sentence}`, async () => {
      failing = error
      const answer = await api.ask(method, `/api/v1${path}`, { token, ...(method === 'GET' ? {} : { json: {} }) })
      failing = undefined
      expect([answer.status, answer.body]).to.deep.equal([status, { error: sentence, code: 'internal_error' }])
      const line = api
        .logLines()
        .find(({ requestId, cause }) => requestId === answer.headers.get('x-request-id') && cause !== undefined)
      expect(line?.['cause']).to.include(error().message)
    })
  }

  it('Dashboard route errors: could not load dashboard, could not complete the request', async () => {
    failing = cut
    const loaded = await api.ask('GET', '/api/apps/not-there/metrics', { token })
    const completed = await api.ask('POST', '/api/apps/not-there/deploy', { token, form: {} })
    failing = undefined
    expect([loaded.status, loaded.body]).to.deep.equal([502, { error: 'could not load dashboard' }])
    expect([completed.status, completed.body]).to.deep.equal([502, { error: 'could not complete the request' }])
  })
})
