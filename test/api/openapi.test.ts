/** The OpenAPI document: it is valid, lists exactly the versioned operations, and the api serves all of them. */
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openapiDocument } from '../../api/platform/openapi-document.ts'
import { allOperations } from '../../contract/operations.ts'
import { startTestApi, type TestApi } from './test-api.ts'

interface Described {
  operationId: string
  summary: string
  tags: string[]
  security?: unknown[]
  'x-access': string
  parameters?: { in: string; name: string; required?: boolean }[]
  requestBody?: {
    required: boolean
    content: { 'application/json': { schema: { required?: string[]; properties: object } } }
  }
  responses: Record<string, unknown>
}
const document = JSON.parse(JSON.stringify(openapiDocument())) as {
  openapi: string
  paths: Record<string, Record<string, Described>>
} // the api's own JSON
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)
const nameless = (path: string) => path.replace(/\{\w+\}/g, '{}')
const reference = join(import.meta.dirname, '../../docs/reference')
/** Paths with parameters that a page of the reference has, by page. */
const referred = readdirSync(reference).flatMap((page) =>
  [...readFileSync(join(reference, page), 'utf8').matchAll(/`[A-Z]+ (\/[\w\-/{}]*\{[\w\-/{}]*)`/g)].map(
    ([, path = '']) => ({ page, path }),
  ),
)
const at = (method: string, path: string) => document.paths[path]?.[method]

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.0.3', async () => {
    const result = await new Validator().validate(document)
    expect(result.errors).to.equal(undefined)
    expect(document.openapi).to.equal('3.0.3')
  })

  it('is the one that is checked in', () => {
    const file = join(import.meta.dirname, '../../contract/openapi.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).to.deep.equal(document)
  })

  it('lists every versioned operation once', () => {
    expect(described).to.have.length(allOperations.filter(([, { v1 }]) => v1 !== undefined).length)
    expect(new Set(described.map(({ operation }) => operation.operationId)).size).to.equal(described.length)
  })

  for (const { method, path, operation } of described) {
    it(`describes ${method} ${path}`, () => {
      expect(operation.summary).not.to.equal('')
      expect(operation['x-access']).to.be.oneOf(['public', 'viewer', 'observer', 'project', 'admin'])
      expect(Object.keys(operation.responses).slice(1)).to.deep.equal(['400', '401', '403', '404'])
      const inPath = (operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => `{${name}}`)
      expect(inPath).to.deep.equal(path.match(/\{\w+\}/g) ?? [])
    })
  }

  it('names the parameters of paths as the reference does', () => {
    const known = new Map(Object.keys(document.paths).map((path) => [nameless(path), path]))
    const versioned = referred.filter(({ path }) => known.has(nameless(path)))
    expect(versioned.length).to.be.greaterThan(15)
    expect(versioned.filter(({ path }) => known.get(nameless(path)) !== path)).to.deep.equal([])
  })

  it('needs no token where a token is made', () => {
    const open = described.filter(({ operation }) => operation.security?.length === 0).map(({ path }) => path)
    expect(open).to.deep.equal(['/auth/device', '/auth/token'])
  })

  it('marks required fields, also those only this surface insists on', () => {
    const required = (method: string, path: string) =>
      at(method, path)?.requestBody?.content['application/json'].schema.required
    expect(required('post', '/apps/{name}/scale')).to.deep.equal(['replicas'])
    expect(required('post', '/projects/{name}/deploy')).to.deep.equal(['environment'])
    expect(required('patch', '/apps/{name}')).to.equal(undefined)
    expect(at('delete', '/apps/{name}')?.parameters?.find(({ name }) => name === 'confirmName')).to.include({
      in: 'query',
      required: true,
    })
  })

  it('requires a body where it requires a field of it, and nowhere else', () => {
    for (const { method, path, operation } of described) {
      const fields = operation.requestBody?.content['application/json'].schema.required ?? []
      expect(operation.requestBody?.required ?? false, `${method} ${path}`).to.equal(fields.length > 0)
    }
  })

  it('says who may call', () => {
    expect(at('get', '/apps/{name}/logs')?.['x-access']).to.equal('observer')
    expect(at('post', '/apps/{name}/deploy')?.['x-access']).to.equal('project')
    expect(at('post', '/tokens')?.['x-access']).to.equal('admin')
    expect(at('post', '/auth/device')?.['x-access']).to.equal('public')
  })

  describe('served', () => {
    let api: TestApi
    let token: string
    before(async function () {
      this.timeout(60_000)
      api = await startTestApi()
      token = await api.token({ role: 'viewer' })
    })
    after(() => api.stop())

    it('GET /api/v1/openapi.json is what a viewer reads', async () => {
      expect((await api.ask('GET', '/api/v1/openapi.json', { token })).body).to.deep.equal(document)
    })
    for (const { method, path } of described.filter((each) => each.path !== '/events')) {
      it(`${method} ${path} is an operation, not an unknown path`, async () => {
        const answer = await api.ask(method, `/api/v1${path.replace(/\{\w+\}/g, 'none')}`, { token })
        expect([answer.status, answer.body?.error]).not.to.deep.equal([404, 'not found'])
        expect(answer.status).not.to.equal(405)
        expect(answer.status).to.be.lessThan(500)
      })
    }
  })
})
