/** A client that knows only the OpenAPI document: the api behaves as the document says. */
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv } from 'ajv'
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClusterClient } from '../../cluster/client.ts'
import { startTestApi, type Answer, type Asked, type TestApi } from '../api/test-api.ts'
import { useStack } from '../harness/stack.ts'
import { keptNow, removeSince, type Kept } from './kept.ts'

interface Schema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}
interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required?: boolean
  readonly schema: Schema
}
interface Described {
  readonly operationId: string
  readonly 'x-access': string
  readonly 'x-project-token': boolean
  readonly security?: readonly unknown[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: { readonly 'application/json': { readonly schema: Schema } }
  }
  readonly responses: Readonly<
    Record<
      string,
      { readonly content?: { readonly 'application/json': { readonly schema: { readonly $ref: string } } } }
    >
  >
}

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../contract/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Described>>
  components: { schemas: { Error: object } }
  servers: [{ url: string }]
}
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)
const isError = new Ajv({ strict: false }).compile(document.components.schemas.Error)
const streams = (path: string): boolean => path === '/events' || path.endsWith('/stream')

describe('a stranger with the OpenAPI document', () => {
  let api: TestApi
  let client: ClusterClient
  let atFirst: Kept
  const callers: Record<string, Asked> = {}

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
    api = await startTestApi()
    atFirst = await keptNow(client)
    callers['admin'] = { cookie: await api.signIn('admin') }
    const { project } = (await api.ask('POST', '/api/v1/projects', { ...callers['admin'], json: {} })).body
    for (const role of ['viewer', 'observer']) callers[role] = { token: await api.token({ role }) }
    callers['project'] = { token: await api.token({ scope: 'project', project, environment: 'production' }) }
    callers['nobody'] = {}
  })
  after(async () => {
    await api.stop()
    await removeSince(client, atFirst)
  })

  it('reads a valid OpenAPI 3.0 document with one server', async () => {
    expect((await new Validator().validate(document)).errors).to.equal(undefined)
    expect(document.servers).to.deep.equal([{ url: '/api/v1' }])
  })

  for (const { method, path, operation } of described) {
    it(`${operation.operationId}: a request without credentials is answered only where the document says so`, async () => {
      const { status } = await ask(method, path, operation, 'nobody')
      if (operation.security?.length === 0) expect(status).not.to.equal(401)
      else expect(status).to.equal(401)
    })

    it(`${operation.operationId}: x-access and x-project-token are what is meant`, async () => {
      const access = operation['x-access']
      const isTokenRead = path.startsWith('/token/')
      const closed = {
        viewer: !['public', 'viewer'].includes(access) && !isTokenRead,
        observer: !['public', 'viewer', 'observer'].includes(access) && !isTokenRead,
      }
      for (const caller of ['viewer', 'observer'] as const) {
        if (closed[caller]) expect((await ask(method, path, operation, caller)).status, caller).to.equal(403)
      }
      const { status, body } = await ask(method, path, operation, 'project')
      if (operation['x-project-token'] || access === 'public')
        expect(body?.error).not.to.equal('this token cannot access that endpoint')
      else expect(status).to.equal(403)
    })

    it(`${operation.operationId}: the least it asks for is enough to be understood, and less is not`, async () => {
      const answer = await ask(method, path, operation, 'admin')
      // The names are made up: not found, or refused by a rule; never for a field that the document does not require.
      expect(answer.body?.error ?? '', answer.text).not.to.match(
        / is required$|must be (text|on or off)|must be a whole number/,
      )
      for (const missing of requiredOf(operation)) {
        const { status } = await ask(method, path, operation, 'admin', missing)
        expect(status, missing).to.equal(400)
      }
    })
  }

  /** Sends made-up values of the described types, and checks that the answer is a described one. */
  async function ask(
    method: string,
    path: string,
    operation: Described,
    caller: string,
    without?: string,
  ): Promise<Answer> {
    const inQuery = (operation.parameters ?? []).filter(
      (parameter) => parameter.in === 'query' && parameter.required === true && parameter.name !== without,
    )
    const query = new URLSearchParams(
      inQuery.map(({ name, schema }): [string, string] => [name, String(madeUp(name, schema))]),
    )
    const { properties = {}, required = [] } = operation.requestBody?.content['application/json'].schema ?? {}
    const json = Object.fromEntries(
      required.filter((name) => name !== without).map((name) => [name, madeUp(name, properties[name] ?? {})]),
    )
    const target = `/api/v1${path.replace(/\{\w+\}/g, 'none')}${query.size === 0 ? '' : `?${query.toString()}`}`
    if (streams(path)) return headOf(target, callers[caller] ?? {})
    const answer = await api.ask(method, target, {
      ...callers[caller],
      ...(operation.requestBody === undefined ? {} : { json }),
    })
    if (answer.status < 400) expect(Object.keys(operation.responses)).to.include(String(answer.status))
    else expectDescribed(operation, answer)
    return answer
  }

  async function headOf(path: string, { token, cookie }: Asked): Promise<Answer> {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(cookie === undefined ? {} : { cookie }),
    }
    const response = await fetch(api.baseUrl + path, { headers })
    if (response.ok) await response.body?.cancel()
    const text = response.ok ? '' : await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
})

/**
 * The document describes success, 400, 401, 403 and 404 (docs/reference/conventions.md#the-openapi-document); of other
 * statuses only that of the sign-in limit occurs here.
 */
function expectDescribed({ responses }: Described, answer: Answer): void {
  expect([...Object.keys(responses), '429']).to.include(String(answer.status))
  expect(isError(answer.body), answer.text).to.equal(true)
}

function requiredOf({ parameters = [], requestBody }: Described): string[] {
  const inQuery = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required === true)
    .map(({ name }) => name)
  return [...inQuery, ...(requestBody?.content['application/json'].schema.required ?? [])]
}

/** A value of the described type; a rule of the platform may still refuse it. */
function madeUp(name: string, schema: Schema): unknown {
  const [first] = schema.anyOf ?? []
  if (first !== undefined) return madeUp(name, first)
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1
  if (schema.type === 'boolean') return true
  if (schema.type === 'array') return [madeUp(name, schema.items ?? {})]
  return ['key', 'name'].includes(name) ? 'NAME' : 'none'
}
