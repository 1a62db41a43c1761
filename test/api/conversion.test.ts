/** The four conversion rules of versioned writes and the verb mapping, over HTTP and checked in the stored record. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { useStack } from '../harness/stack.ts'
import { keptNow, removeSince, type Kept } from '../property/kept.ts'
import { startTestApi, type Asked, type TestApi } from './test-api.ts'

describe('a versioned write', () => {
  let api: TestApi
  let client: ClusterClient
  let atFirst: Kept
  let token: string
  let project: string
  let app: string

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
    api = await startTestApi()
    atFirst = await keptNow(client)
    token = await api.token({ role: 'admin' })
    project = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body.project
  })
  after(async () => {
    await api.stop()
    await removeSince(client, atFirst)
  })
  beforeEach(async () => {
    app = (await create({ source: 'function' })).body.name
  })

  const create = (fields: object) =>
    api.ask('POST', '/api/v1/apps', { token, json: { project, environment: 'production', ...fields } })
  const ask = (method: string, path: string, asked: Asked = {}) =>
    api.ask(method, `/api/v1${path.replace('{app}', app)}`, { token, ...asked })
  const specOf = async (name = app) => (await ask('GET', `/apps/${name}`)).body.spec

  type Row = [rule: string, query: string, body: unknown, wanted: [path: string, value: unknown][]]
  const stored = { autoscaling: undefined, port: 8080, replicas: 1 }
  const schedule = { name: 'nightly', schedule: '0 3 * * *', payload: '{"deep":{"er":[1]}}' }
  const rows: Row[] = [
    ['1: a number is its text', '', { port: 9000 }, [['port', 9000]]],
    ['1: a text is as it is written', '', { port: '9000' }, [['port', 9000]]],
    ['1: true is a checked box', '', { autoscaling: true, maxReplicas: 4 }, [['autoscaling.maxReplicas', 4]]],
    [
      '1: false omits the field',
      '',
      { port: 9000, autoscaling: false },
      [
        ['port', 9000],
        ['autoscaling', undefined],
      ],
    ],
    ['1: null omits the field', '', { port: null, replicas: 2 }, [['port', 8080], ['replicas', 2]]], // prettier-ignore
    ['1: off switches off', '', { scaleToZero: 'off' }, [['scaleToZero.enabled', false]]],
    ['2: a list repeats the field', '', { command: ['sh', '-c', 'a b'] }, [['build.command', ['sh', '-c', 'a b']]]],
    [
      '2: an object travels as its JSON text',
      '',
      { functionTriggers: schedule },
      [['source.function.triggers.0.payload', '{"deep":{"er":[1]}}']],
    ],
    [
      '2: a list of objects repeats it',
      '',
      { functionTriggers: [schedule, { ...schedule, name: 'b' }] },
      [['source.function.triggers.1.name', 'b']],
    ],
    ['3: query parameters are fields', '?port=9000', {}, [['port', 9000]]],
    [
      '3: without a body, too',
      '?port=9000&replicas=3',
      undefined,
      [
        ['port', 9000],
        ['replicas', 3],
      ],
    ],
    [
      '3: the body wins over the same query field',
      '?port=9000&replicas=3',
      { port: 9001 },
      [
        ['port', 9001],
        ['replicas', 3],
      ],
    ],
    [
      '3: a body field that is omitted hides the query field',
      '?port=9000',
      { port: false, replicas: 2 },
      [
        ['port', 8080],
        ['replicas', 2],
      ],
    ],
  ]
  for (const [rule, query, body, wanted] of rows) {
    it(`rule ${rule}`, async () => {
      const before = await specOf()
      expect({ autoscaling: before.autoscaling, port: before.port, replicas: before.replicas }).to.deep.equal(stored)
      const answer = await ask('PATCH', `/apps/{app}${query}`, body === undefined ? {} : { json: body })
      expect(answer.status, answer.text).to.equal(200)
      const spec = await specOf()
      for (const [path, value] of wanted) expect(at(spec, path), path).to.deep.equal(value)
    })
  }

  it('a service that names no port listens on 8080', async () => {
    expect((await specOf()).port).to.equal(8080)
  })

  it('rule 2: a list of lists is refused, and nothing of the request is done', async () => {
    const answer = await ask('PATCH', '/apps/{app}', { json: { port: 9000, command: [['sh']] } })
    expect([answer.status, answer.body]).to.deep.equal([
      400,
      { error: 'command must not be a list of lists', code: 'invalid_request' },
    ])
    expect((await specOf()).port).to.equal(8080)
  })

  for (const body of ['[]', '"text"', '3', 'true', 'null', '{"a":1}}']) {
    it(`rule 4: ${body} is no JSON object`, async () => {
      const answer = await ask('PATCH', '/apps/{app}?port=9000', { raw: { body, type: 'application/json' } })
      expect([answer.status, answer.body.code]).to.deep.equal([400, 'invalid_request'])
      expect(answer.body.error).to.be.oneOf(['request body must be a JSON object', 'request body is not valid JSON'])
      expect((await specOf()).port).to.equal(8080)
    })
  }

  for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
    it(`refuses bytes of ${type} that are no UTF-8, and keeps nothing of them`, async () => {
      const latin1 = type.endsWith('json') ? '{"key": "CITY", "value": "K\xf6ln"}' : 'key=CITY&value=K\xf6ln'
      const body = new Uint8Array(Buffer.from(latin1, 'latin1'))
      const answer = await ask('POST', '/apps/{app}/config/set', { raw: { body, type } })
      expect([answer.status, answer.body]).to.deep.equal([
        400,
        { error: 'request body is not valid UTF-8', code: 'invalid_request' },
      ])
      expect((await specOf()).configData).to.deep.equal({})
    })
  }

  describe('rule 4: JSON with the media type of a form, as curl sends it,', () => {
    const form = 'application/x-www-form-urlencoded'

    it('is JSON', async () => {
      const answer = await ask('PATCH', '/apps/{app}', { raw: { body: '{"port": 9000}', type: form } })
      expect(answer.status, answer.text).to.equal(200)
      expect((await specOf()).port).to.equal(9000)
    })
    for (const body of ['[{"port": 9000}]', '"port=9000"', ' {"port": 9000']) {
      it(`is refused where it is no object: ${body}`, async () => {
        const answer = await ask('PATCH', '/apps/{app}', { raw: { body, type: form } })
        expect([answer.status, answer.body.code]).to.deep.equal([400, 'invalid_request'])
      })
    }
    it('is a form where it does not begin as JSON', async () => {
      const answer = await ask('PATCH', '/apps/{app}', { raw: { body: 'port=9000', type: form } })
      expect(answer.status, answer.text).to.equal(200)
      expect((await specOf()).port).to.equal(9000)
    })
  })

  it('takes a form with hundreds of repeats', async () => {
    const names = Array.from({ length: 450 }, (_, index) => `NAME_${index}`)
    const answer = await ask('POST', '/apps/{app}/shared-variables/save', { form: { sharedVariable: names } })
    expect(answer.status, answer.text).to.equal(200)
    expect((await specOf()).sharedVariableRefs).to.have.members(names)
  })

  for (const method of ['PATCH', 'PUT']) {
    it(`${method} /api/v1/apps/{app} and ${method} /api/v1/projects/{project} change settings`, async () => {
      expect((await ask(method, '/apps/{app}', { json: { port: 9000 } })).status).to.equal(200)
      expect((await specOf()).port).to.equal(9000)
      expect((await ask(method, `/projects/${project}`, { json: { displayName: `By ${method}` } })).body).to.deep.equal(
        { ok: true },
      )
      expect((await ask('GET', `/projects/${project}`)).body.spec.displayName).to.equal(`By ${method}`)
    })
  }

  it('DELETE takes its confirmation from the query, and from the body before it', async () => {
    expect((await ask('DELETE', '/apps/{app}?confirmName=other')).status).to.equal(400)
    expect((await ask('DELETE', `/apps/{app}?confirmName=${app}`, { json: { confirmName: 'other' } })).status).to.equal(
      400,
    )
    expect((await ask('DELETE', '/apps/{app}?confirmName=other', { json: { confirmName: app } })).body).to.deep.equal({
      ok: true,
    })
    const other = (await create({ image: 'nginx:1' })).body.name
    expect((await ask('DELETE', `/apps/${other}?confirmName=${other}`)).body).to.deep.equal({ ok: true })
  })

  const withoutMapping: [string, string][] = [
    ['PATCH', '/apps'],
    ['DELETE', '/apps'],
    ['PUT', '/nodes/n1'],
    ['DELETE', '/nodes/n1'],
    ['PATCH', '/apps/{app}/scale'],
    ['DELETE', '/version'],
    ['PATCH', '/nothing'],
  ]
  for (const [method, path] of withoutMapping) {
    it(`${method} ${path} has no mapping`, async () => {
      const answer = await ask(method, path, { json: {} })
      expect([answer.status, answer.body]).to.deep.equal([
        400,
        { error: `${method} is not supported on this path`, code: 'invalid_request' },
      ])
    })
  }

  it('any other GET or POST path is the dashboard route of the same name', async () => {
    expect(
      (await ask('POST', '/apps/{app}/display-name', { json: { displayName: 'Night shift' } })).body,
    ).to.deep.equal({ ok: true })
    expect((await ask('GET', '/apps/{app}')).body.resource.displayName).to.equal('Night shift')
    expect(
      (await ask('GET', '/bootstrap')).body.apps.items.map(
        ({ metadata }: { metadata: { name: string } }) => metadata.name,
      ),
    ).to.include(app)
    expect((await ask('POST', '/apps/{app}/delete', { json: { confirmName: app } })).body).to.deep.equal({ ok: true })
  })
})

/** The value at a path such as `a.b.0`. */
function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[key] : undefined,
      value,
    )
}
