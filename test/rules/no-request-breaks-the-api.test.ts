/**
 * Whatever a caller sends, the answer is one of the table (docs/reference/conventions.md#errors): never a 500, never
 * another shape.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { pathParams } from '../../contract/operation.ts'
import { allOperations } from '../../contract/operations.ts'
import { startTestApi, type TestApi } from '../api/test-api.ts'

const odd = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    '1e9',
    'on',
    'off',
    'production',
    'null',
    '[]',
    '{}',
    '../..',
    'a/b',
    '%zz',
    '\u0000',
    '🙂',
    'x'.repeat(5000),
    '__proto__',
  ),
  fc.string(),
)
const value = fc.oneof(
  odd,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(odd, { maxLength: 3 }),
  fc.jsonValue({ maxDepth: 3 }),
)
const pathText = fc.constantFrom('none', 'a.b', '%00', '%2F..%2F', '%F0%9F%99%82', 'x'.repeat(300), '%zz', '-', 'NONE')

describe('no request', () => {
  let api: TestApi
  let token: string
  let project: string
  let app: string

  before(async function () {
    this.timeout(60_000)
    api = await startTestApi()
    token = await api.token({ role: 'admin' })
    project = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body.project
    const json = { project, environment: 'production', image: 'nginx:1' }
    app = (await api.ask('POST', '/api/v1/apps', { token, json })).body.name
  })
  after(() => api.stop())

  for (const [id, operation] of allOperations) {
    const route = operation.v1
    if (route === undefined || operation.stream === true || id === 'projects.settings-delete') continue
    it(`breaks ${id}`, async () => {
      const names = Object.keys(operation.params.shape)
      const fields = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] })
      const place = fc.option(pathText, { nil: undefined })
      await fc.assert(
        fc.asyncProperty(fields, place, async (sent, strange) => {
          const known: Record<string, string> = { app, project }
          const path = pathParams(route.path).reduce(
            (text, name) => text.replace(`{${name}}`, strange ?? known[name] ?? 'none'),
            route.path,
          )
          const query = new URLSearchParams(
            Object.entries(sent).map(([name, each]): [string, string] => [
              name,
              typeof each === 'string' ? each : JSON.stringify(each),
            ]),
          ).toString()
          const inQuery = route.method === 'GET' || route.method === 'DELETE'
          const answer = await api.ask(route.method, `/api/v1${path}${inQuery ? `?${query}` : ''}`, {
            token,
            ...(inQuery ? {} : { json: sent }),
          })
          expect(answer.status, `${answer.text} for ${JSON.stringify(sent)}`).to.be.lessThan(500)
          if (answer.status >= 400) expect(answer.body).to.have.all.keys('error', 'code')
        }),
        { numRuns: 10 },
      )
    }).timeout(60_000)
  }

  for (const raw of ['', '{', '[]', 'a=1&a=2', '\u0000', '"x"', '{"a":'.repeat(2000)]) {
    it(`breaks it with the body ${JSON.stringify(raw.slice(0, 20))} of any type`, async () => {
      for (const type of [
        'application/json',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'text/plain',
        'nonsense',
      ]) {
        for (const path of ['/api/v1/projects', '/api/projects/create', '/api/login']) {
          const answer = await api.ask('POST', path, { token, raw: { body: raw, type }, headers: { 'x-probe': 'y' } })
          expect(answer.status, `${path} ${type}`).to.be.lessThan(500)
        }
      }
    })
  }
})
