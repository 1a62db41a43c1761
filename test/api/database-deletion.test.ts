/** The deletion of databases over HTTP. */
import { expect } from 'chai'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { makeConnection } from './data-world.ts'
import { useDatabases } from './databases-world.ts'

describe('Databases', () => {
  const { world, form } = useDatabases()

  it('DELETE /databases/{name} wants the name again; a draft and a pending one are gone at once, and their name is free', async () => {
    for (const deploy of [false, true]) {
      const name = await world.create('/databases', { name: 'short-lived', deploy })
      const wrong = await world.api.ask('DELETE', `/api/v1/databases/${name}?confirmName=other`, world.cookie)
      expect([wrong.status, wrong.body.error]).to.deep.equal([400, 'confirmation did not match the resource name'])
      const right = await world.api.ask('DELETE', `/api/v1/databases/${name}?confirmName=${name}`, world.cookie)
      expect(right.body).to.deep.equal({ ok: true })
      expect((await world.ask('GET', `/databases/${name}`)).status).to.equal(404)
      expect(await world.record('database', name)).to.equal(undefined)
    }
    const gone = await form('/databases/short-lived/delete', { confirmName: 'short-lived' })
    expect([gone.status, gone.text]).to.deep.equal([404, '404 page not found'])
  })

  it('DELETE /databases/{name} with abandon is for a database at PlanetScale only', async () => {
    const abandon = (name: string) =>
      world.api.ask('DELETE', `/api/v1/databases/${name}?confirmName=${name}&abandon=on`, world.cookie)
    const local = await world.create('/databases')
    expect((await abandon(local)).body.error).to.equal('only a database at PlanetScale can be abandoned')
    expect((await world.record('database', local))?.metadata.deletionTimestamp).to.equal(undefined)
    const connectionRef = await makeConnection(world, world.project, 'PlanetScale')
    const name = await world.create('/databases', {
      placement: 'External',
      provider: 'PlanetScale',
      engine: 'mysql',
      connectionRef,
    })
    expect((await abandon(name)).body, 'nothing was made for it').to.deep.equal({ ok: true, stays: [] })
    expect(await world.record('database', name)).to.equal(undefined)
  })

  it('one that something holds is deleting, and takes no edit and no deploy', async () => {
    const name = await world.create('/databases')
    const ref = { type: resourceTypes.database, namespace: systemNamespace, name }
    await world.client.patch(ref, { metadata: { finalizers: ['example.com/held'] } })
    expect((await form(`/databases/${name}/delete`, { confirmName: name })).body).to.deep.equal({ ok: true })
    expect((await world.ask('GET', `/databases/${name}`)).body.resource.state).to.equal('deleting')
    for (const [method, path] of [
      ['PATCH', ''],
      ['POST', '/deploy'],
    ] as const)
      expect((await world.ask(method, `/databases/${name}${path}`, { version: '17' })).body.error).to.equal(
        'the database is being deleted',
      )
    await world.client.patch(ref, { metadata: { finalizers: null } })
    expect(await world.record('database', name)).to.equal(undefined)
  })
})
