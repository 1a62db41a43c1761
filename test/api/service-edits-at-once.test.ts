/** Edits of services by several callers at once: none is lost, and If-Match refuses one that is out of date. */
import { expect } from 'chai'
import { annotations } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { pendingChangesOf } from '../../kinds/provision/draft.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { useStack } from '../harness/stack.ts'
import { useServices } from './services-world.ts'
import { startTestApi, type TestApi } from './test-api.ts'

describe('Edits of a service at once', () => {
  const { world, patch, create, deployed, record } = useServices()
  /** Another process of the api. */
  let other: TestApi

  before(async () => {
    other = await startTestApi()
  })
  after(() => other.stop())

  it('two people editing different fields at once through two processes lose nothing', async () => {
    const name = await deployed()
    const edits = [
      patch(name, { port: 9001 }),
      patch(name, { image: 'svc/hello:2' }, other),
      patch(name, { cpu: '150m' }),
      patch(name, { memory: '192Mi' }, other),
      patch(name, { replicas: 2 }),
      patch(name, { metrics: 'on' }, other),
    ]
    for (const { status, text } of await Promise.all(edits)) expect(status, text).to.equal(200)
    const { spec } = await record(name)
    expect(spec).to.deep.include({ port: 9001, replicas: 2, source: { image: { image: 'svc/hello:2' } } })
    expect(spec.resources.requests).to.deep.equal({ cpu: '150m', memory: '192Mi' })
    expect(spec.metrics.enabled).to.equal(true)
  })

  it('an edit during a deploy is either deployed or waits, and never lost', async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = await deployed()
      const [deploy, edit] = await Promise.all([
        other.ask('POST', `/api/v1/apps/${name}/deploy`, { token: world.token }),
        patch(name, { port: 9100 + round }),
      ])
      expect([deploy.status, edit.status]).to.deep.equal([200, 200])
      const app = await record(name)
      expect(app.spec.port).to.equal(9100 + round)
      const running = viewOf(app).effectiveSpec?.port
      expect(pendingChangesOf(app)).to.deep.equal(running === app.spec.port ? [] : ['settings'])
      const [newest] = (await other.ask('GET', `/api/v1/apps/${name}/deployments`, { token: world.token })).body.items
      const { client } = await useStack()
      const kept = await client.get<App>({
        type: resourceTypes.deployment,
        namespace: systemNamespace,
        name: newest.id,
      })
      expect(JSON.parse(kept?.metadata.annotations?.[annotations.releaseSpec] ?? '{}').port).to.equal(
        viewOf(app).lastDeployed?.port,
      )
    }
  })

  it('If-Match refuses an edit of a record that was changed meanwhile', async () => {
    const name = await create()
    const { resourceVersion = '' } = (await record(name)).metadata
    const first = await world.api.ask('PATCH', `/api/v1/apps/${name}`, {
      token: world.token,
      json: { port: 1 },
      headers: { 'If-Match': `"${resourceVersion}"` },
    })
    expect(first.status, first.text).to.equal(200)
    const second = await world.api.ask('PATCH', `/api/v1/apps/${name}`, {
      token: world.token,
      json: { port: 2 },
      headers: { 'If-Match': `"${resourceVersion}"` },
    })
    expect([second.status, second.body.error]).to.deep.equal([
      400,
      'the resource was changed by another writer; read it again and retry',
    ])
  })

  it('GET /apps/{name} says the version that an If-Match takes as its ETag, for short answers as for compressed ones', async () => {
    const name = await create()
    const read = async (headers: Record<string, string> = {}) =>
      (await world.api.ask('GET', `/api/v1/apps/${name}`, { token: world.token, headers })).headers.get('etag') ?? ''
    const { resourceVersion = '' } = (await record(name)).metadata
    expect(await read()).to.equal(`"${resourceVersion}"`)
    expect(await read({ 'accept-encoding': 'gzip' })).to.equal(`"${resourceVersion}"`)
    const patched = await world.api.ask('PATCH', `/api/v1/apps/${name}`, {
      token: world.token,
      json: { port: 3 },
      headers: { 'If-Match': await read() },
    })
    expect(patched.status, patched.text).to.equal(200)
    expect(await read()).not.to.equal(`"${resourceVersion}"`)
  })
})
