/** Attaching databases and buckets to a service: the variables that it adds, and what prevents it. */
import { expect } from 'chai'
import type { App } from '../../kinds/apps/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { openDataWorld, useDataWorld } from './data-world.ts'

describe('attach', () => {
  const world = useDataWorld()

  const service = () => world.create('/apps', { image: 'nginx:1' })
  const attach = (app: string, name: string, kind: string) =>
    world.api.ask('POST', `/api/apps/${app}/attach`, { ...world.cookie, form: { name, kind } })
  const env = async (app: string) => (await world.record<App>('app', app))?.spec.env
  const reference = (name: string, from: string, key: string) => ({
    name,
    valueFrom: { secretKeyRef: { name: `${from}-connection`, key } },
  })

  it('POST /api/apps/{app}/attach adds DATABASE_URL, for logical databases, too, and REDIS_URL for redis', async () => {
    const app = await service()
    for (const engine of ['postgres', 'mysql', 'sqlite']) {
      const database = await world.create('/databases', { engine })
      expect((await attach(app, database, 'database')).body.pending).to.include('variables')
      expect(await env(app), engine).to.deep.equal([reference('DATABASE_URL', database, 'uri')])
    }
    const server = await world.create('/databases')
    const logical = await world.create('/logical-databases', { server, database: 'shop' })
    expect((await attach(app, logical, 'database')).status).to.equal(200)
    const redis = await world.create('/databases', { engine: 'redis' })
    expect((await attach(app, redis, 'database')).status).to.equal(200)
    expect(await env(app)).to.deep.equal([
      reference('DATABASE_URL', logical, 'uri'),
      reference('REDIS_URL', redis, 'uri'),
    ])
  })

  it('POST /api/apps/{app}/attach adds the four variables of a bucket, all or none', async () => {
    const store = await world.create('/object-stores')
    const app = await service()
    expect((await attach(app, store, 'object-store')).status).to.equal(200)
    expect(await env(app)).to.deep.equal([
      reference('OBJ_ENDPOINT', store, 'endpoint'),
      reference('OBJ_ACCESS_KEY_ID', store, 'accessKey'),
      reference('OBJ_SECRET_ACCESS_KEY', store, 'secretKey'),
      reference('OBJ_BUCKET', store, 'bucket'),
    ])
    for (const [how, key] of [
      ['config', 'OBJ_BUCKET'],
      ['secrets', 'OBJ_SECRET_ACCESS_KEY'],
    ]) {
      const other = await service()
      await world.ask('POST', `/apps/${other}/${how}/set`, { key, value: 'x' })
      const refused = await attach(other, store, 'object-store')
      expect([refused.status, refused.body.error]).to.deep.equal([
        400,
        `the service already has a variable named ${key}`,
      ])
      expect(await env(other)).to.deep.equal([])
    }
  })

  it('POST /api/apps/{app}/attach finds nothing of another environment, and nothing that is being deleted', async () => {
    const app = await service()
    await world.ask('POST', `/projects/${world.project}/environments`, { environment: 'elsewhere' })
    const far = (await world.ask('POST', '/databases', { project: world.project, environment: 'elsewhere' })).body.name
    for (const [name, kind] of [
      [far, 'database'],
      ['nobody', 'database'],
      [far, 'object-store'],
      ['nobody', 'object-store'],
    ] as const)
      expect((await attach(app, name, kind)).status, `${name} ${kind}`).to.equal(404)
    const going = await world.create('/databases')
    const ref = { type: resourceTypes.database, namespace: systemNamespace, name: going }
    await world.client.patch(ref, { metadata: { finalizers: ['example.com/held'] } })
    await world.ask('DELETE', `/databases/${going}`, { confirmName: going })
    expect((await attach(app, going, 'database')).body.error).to.equal('the database is being deleted')
    await world.client.patch(ref, { metadata: { finalizers: null } })
  })

  it('what one process saved, another deploys at once', async () => {
    const second = await openDataWorld()
    try {
      for (let round = 0; round < 5; round += 1) {
        const store = await world.create('/object-stores')
        expect((await second.ask('GET', `/object-stores/${store}`)).body.resource.pendingChanges).to.equal(1)
        expect((await world.ask('PATCH', `/object-stores/${store}`, { bucket: `round-${round}` })).status).to.equal(200)
        expect((await second.ask('POST', `/object-stores/${store}/deploy`, {})).body).to.deep.equal({ ok: true })
      }
    } finally {
      await second.api.stop()
    }
  })
})
