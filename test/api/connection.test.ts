/** Connection details over HTTP: for admins only, read live from the Secret; every reveal is logged. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ResourceTypeName } from '../../kinds/meta/resource-types.ts'
import { makeConnectionSecret, useDataWorld } from './data-world.ts'

const password = 'not-in-any-log-7f3a'
const values = {
  host: 'calm-otter-rw.proj.svc',
  port: '5432',
  database: 'shop',
  username: 'app',
  password,
  uri: `postgresql://app:${password}@calm-otter-rw.proj.svc:5432/shop`,
}
const shown = {
  keys: ['database', 'host', 'password', 'port', 'uri', 'username'],
  host: values.host,
  port: '5432',
  database: 'shop',
  username: 'app',
}

describe('connection details: GET /databases/{name}/connection, GET /logical-databases/{name}/connection', () => {
  const world = useDataWorld()
  let server: string

  before(async () => {
    server = await world.create('/databases', { deploy: true })
  })

  const paths: ['/databases' | '/logical-databases', ResourceTypeName, () => object][] = [
    ['/databases', 'database', () => ({ deploy: true })],
    ['/logical-databases', 'logicalDatabase', () => ({ server, database: 'shop' })],
  ]
  for (const [path, type, fields] of paths) {
    const uidOf = async (name: string): Promise<string | undefined> =>
      (await world.record<KubeObject>(type, name))?.metadata.uid

    it(`GET ${path}/{name}/connection: nothing before setup has finished, then the Secret as it stands`, async () => {
      const name = await world.create(path, fields())
      const early = await world.ask('GET', `${path}/${name}/connection`)
      expect([early.status, early.body]).to.deep.equal([
        400,
        { error: 'no connection details yet', code: 'invalid_request' },
      ])
      await makeConnectionSecret(world, name, await uidOf(name), values)
      const { body, headers } = await world.ask('GET', `${path}/${name}/connection`)
      expect(body).to.deep.equal(shown)
      expect(headers.get('cache-control')).to.equal('no-store')

      const logged = world.api.logLines().length
      const revealed = await world.ask('GET', `${path}/${name}/connection?reveal=true`)
      expect(revealed.body).to.deep.equal({ ...shown, password, uri: values.uri, revealed: true })
      const lines = world.api.logLines().slice(logged)
      expect(lines.find((line) => line['audit'] === true)).to.deep.include({ resource: { name }, result: 'revealed' })
      expect(lines.find((line) => line['audit'] === true)?.['actor']).to.match(/^token:/)
      const dashboard = await world.api.ask('GET', `/api${path}/${name}/connection?reveal=true`, world.cookie)
      expect(dashboard.body).to.deep.equal(revealed.body)
      expect(
        world.api
          .logLines()
          .find((line) => line['audit'] === true && line['actor'] === 'admin' && line['result'] === 'revealed'),
      ).not.to.equal(undefined)
      expect(JSON.stringify(world.api.logLines())).not.to.include(password)
    })

    it(`GET ${path}/{name}/connection: not for viewers, observers or project tokens`, async () => {
      const name = await world.create(path, { ...fields(), ...('server' in fields() ? { database: 'guarded' } : {}) })
      await makeConnectionSecret(world, name, await uidOf(name), values)
      for (const who of [world.viewer, world.observer, world.projectToken]) {
        const { status, text } = await world.ask('GET', `${path}/${name}/connection?reveal=true`, undefined, who)
        expect(status).to.equal(403)
        expect(text).not.to.include('svc')
      }
    })

    it(`GET ${path}/{name}/connection: a Secret of another owner is none`, async () => {
      const name = await world.create(path, { ...fields(), ...('server' in fields() ? { database: 'foreign' } : {}) })
      await makeConnectionSecret(world, name, 'an-earlier-one', values)
      expect((await world.ask('GET', `${path}/${name}/connection?reveal=true`)).body.error).to.equal(
        'no connection details yet',
      )
      expect((await world.ask('GET', `${path}/nobody/connection`)).status).to.equal(404)
    })
  }

  it('GET /databases/{name}/connection reads that of the shared server in svc-system', async () => {
    const { name } = (await world.ask('POST', '/databases', { engine: 'postgres' })).body
    const uid = (await world.record<KubeObject>('database', name))?.metadata.uid
    await makeConnectionSecret(world, name, uid, { host: 'shared' }, 'svc-system')
    expect((await world.ask('GET', `/databases/${name}/connection`)).body).to.deep.equal({
      keys: ['host'],
      host: 'shared',
      port: '',
      database: '',
      username: '',
    })
    await world.client.delete({
      type: { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true },
      namespace: 'svc-system',
      name: `${name}-connection`,
    })
  })
})
