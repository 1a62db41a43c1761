/** From an operation to a request that the service's decoder reads back unchanged. */
import { expect } from 'chai'
import { requestOf } from '../../client/request.ts'
import { decode } from '../../contract/json/decode.ts'
import { formToFields, jsonToFields } from '../../contract/json/fields.ts'
import { pathParams } from '../../contract/operation.ts'
import { allOperations, operationOf, operations } from '../../contract/operations.ts'

describe('requestOf', () => {
  it('reaches every operation that /api/v1 serves', () => {
    for (const [id, it] of allOperations) {
      if (it.forwarded === false) continue
      const route = it.v1 ?? it.dashboard
      const params = Object.fromEntries(pathParams(route?.path ?? '').map((name) => [name, `${name}-1`]))
      const request = requestOf(id, params)
      expect(request.path, id).to.match(/^\/[\w./-]+$/)
      expect(request.path.startsWith('/api'), id).to.equal(false)
      for (const value of Object.values(params)) expect(request.path.split('/'), id).to.include(value)
    }
  })
  it('never calls what is kept off /api/v1', () => {
    expect(() => requestOf('auth.login', {})).to.throw('auth.login is not served on /api/v1')
  })
  it('reaches a dashboard route through the versioned API', () => {
    expect(requestOf('apps.env-delete', { app: 'web', name: 'URL' })).to.deep.include({
      method: 'POST',
      path: '/apps/web/env/delete',
      body: { name: 'URL' },
    })
  })
  it('lets a delete carry its confirmation in the query', () => {
    const { method, path, query, body } = requestOf('apps.delete', { app: 'web', confirmName: 'web' })
    expect([method, path, query.toString(), body]).to.deep.equal(['DELETE', '/apps/web', 'confirmName=web', undefined])
  })
  it('escapes a name so that it stays one segment', () => {
    expect(requestOf('apps.get', { app: 'a/b?c' }).path).to.equal('/apps/a%2Fb%3Fc')
    const url = new URL(`http://x/api/v1${requestOf('apps.deploy', { app: '..' }).path}`)
    expect(url.pathname.startsWith('/api/v1/apps/')).to.equal(true)
  })
  it('refuses a missing name before anything is sent', () => {
    expect(() => requestOf('apps.get', { app: '' })).to.throw('app is required')
  })
  it('encodes a write as the api decodes it, with false, empty lists and objects', () => {
    const said = {
      app: 'web',
      replicas: 0,
      scaleToZero: false,
      metrics: true,
      args: [],
      command: ['sh', '-c', 'a,b'],
      functionTriggers: [{ name: 'nightly', schedule: '0 3 * * *', path: '/', payload: '{"a":1}' }],
    }
    const { body = {} } = requestOf('apps.update', said)
    const fields = new Map([...jsonToFields(body, new Map()), ['app', ['web']]])
    expect(decode(operations['apps.update'].params, fields)).to.deep.equal(said)
  })
  it('encodes a read as the api decodes it', () => {
    const { query } = requestOf('apps.logs', { app: 'web', tail: 7, q: 'a&b=c', previous: false })
    const fields = new Map([...formToFields(query.toString()), ['app', ['web']]])
    expect(decode(operationOf('apps.logs').params, fields)).to.deep.equal({
      app: 'web',
      tail: 7,
      q: 'a&b=c',
      previous: false,
    })
  })
})
