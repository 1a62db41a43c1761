/** Logical databases over HTTP: the servers they may be on, the fields each caller sees, and their deletion. */
import { expect } from 'chai'
import { deployRequestOf } from '../../kinds/provision/deploy-request.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { provisionIntent } from '../../kinds/provision/state.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { useDataWorld } from './data-world.ts'

describe('Logical databases', () => {
  const world = useDataWorld()
  let server: string

  before(async () => {
    server = await world.create('/databases')
  })

  const fields = (change: object = {}) => ({ project: world.project, environment: 'production', server, ...change })
  const ref = (name: string) => ({ type: resourceTypes.logicalDatabase, namespace: systemNamespace, name })
  const remove = (path: string, name: string, confirmName = name) =>
    world.api.ask('DELETE', `/api/v1${path}/${name}?confirmName=${confirmName}`, world.cookie)

  it('POST /logical-databases starts at once; GET /logical-databases and GET /logical-databases/{name} show it', async () => {
    const { body } = await world.ask('POST', '/logical-databases', fields({ database: 'shop' }))
    const { name } = body
    expect(body).to.deep.equal({ ok: true, name, kind: 'logical-databases' })
    const record = await world.record<LogicalDatabase>('logicalDatabase', name)
    expect(record === undefined ? undefined : deployRequestOf(record)?.actor).to.match(/^token:/)
    const summary = {
      kind: 'logical-database',
      name,
      displayName: name,
      project: world.project,
      environment: 'production',
      state: 'pending',
      message: 'waiting for provisioning',
      url: '',
      pendingChanges: 0,
      createdAt: record?.metadata.creationTimestamp,
      details: { server, database: 'shop' },
    }
    expect(
      (await world.ask('GET', `/logical-databases?project=${world.project}&environment=production`)).body.items,
    ).to.deep.include(summary)
    expect((await world.ask('GET', `/logical-databases/${name}`)).body).to.deep.equal({
      resource: summary,
      spec: record?.spec,
      status: {},
    })
    expect((await world.ask('GET', '/logical-databases/nobody')).body.error).to.equal('logical database not found')
  })

  it('shows callers who cannot change things neither its name on the server nor its login', async () => {
    const name = await world.create('/logical-databases', fields({ database: 'hidden_shop' }))
    const status = {
      connectionSecret: 'hidden-secret',
      jobName: 'hidden-job',
      database: 'hidden_db',
      username: 'hidden_user',
    }
    await world.client.patch(ref(name), { status }, { subresource: 'status' })
    await world.api.needs.records.logicalDatabases.readLive(name)
    for (const who of [world.viewer, world.observer]) {
      for (const path of [`/api/v1/logical-databases/${name}`, '/api/v1/logical-databases', '/api/bootstrap']) {
        const { text } = await world.api.ask('GET', path, who)
        expect(text).to.include(name)
        expect(text, path).not.to.include('hidden')
      }
    }
    expect((await world.ask('GET', `/logical-databases/${name}`)).body.status).to.deep.equal(status)
  })

  it('POST /logical-databases refuses what the server or its name do not allow', async () => {
    const redis = await world.create('/databases', { engine: 'redis' })
    await world.ask('POST', `/projects/${world.project}/environments`, { environment: 'elsewhere' })
    const elsewhere = (await world.ask('POST', '/databases', { project: world.project, environment: 'elsewhere' })).body
      .name
    await world.create('/logical-databases', fields({ database: 'taken' }))
    const rows: [object, number, string][] = [
      [{ server: 'nobody', database: 'a' }, 404, 'database not found'],
      [{ server: redis, database: 'a' }, 400, 'the server must be a postgres or mysql database'],
      [{ server: elsewhere, database: 'a' }, 400, 'the server belongs to another project or environment'],
      [{ database: 'a', connectionLimit: 5 }, 400, 'connectionLimit applies to databases on the shared server only'],
      [{ database: 'a', connectionLimit: 1001 }, 400, 'connectionLimit must be a whole number from 1 to 1000'],
      [{ database: 'a', connectionLimit: 0 }, 400, 'connectionLimit must be a whole number from 1 to 1000'],
      [{ database: '1st' }, 400, 'database must use letters, digits, and underscores, and not start with a digit'],
      [{ database: 'my-db' }, 400, 'database must use letters, digits, and underscores, and not start with a digit'],
      [{}, 400, 'database must use letters, digits, and underscores, and not start with a digit'],
      [{ database: 'a', server: '' }, 400, 'server is required'],
      [{ database: 'a', project: 'proj-00000000' }, 404, 'project not found'],
      [{ database: 'a', environment: 'nowhere' }, 400, 'the project has no environment nowhere'],
      [{ database: 'a', name: server }, 400, `the name ${server} is already used`],
    ]
    const before = (await world.ask('GET', '/logical-databases')).body.items.length
    for (const [change, status, sentence] of rows) {
      const answer = await world.ask('POST', '/logical-databases', fields(change))
      expect([answer.status, answer.body.error], JSON.stringify(change)).to.deep.equal([status, sentence])
    }
    expect((await world.ask('POST', '/logical-databases', fields({ database: 'TAKEN' }))).body.error).to.match(
      /^the server has a database named TAKEN already: [a-z-]+$/,
    )
    expect((await world.ask('GET', '/logical-databases')).body.items.length).to.equal(before)
  })

  it('POST /logical-databases on the shared server of the cluster, from any project, with a limit of connections', async () => {
    const { name: shared } = (await world.ask('POST', '/databases', { engine: 'postgres' })).body
    const name = await world.create(
      '/logical-databases',
      fields({ server: shared, database: 'shop', connectionLimit: 5 }),
    )
    expect((await world.ask('GET', `/logical-databases/${name}`)).body.spec).to.deep.include({
      serverRef: shared,
      connectionLimit: 5,
    })
  })

  it('DELETE /logical-databases/{name} wants the name again; DELETE /databases/{name} waits for those on the server', async () => {
    const own = await world.create('/databases')
    const name = await world.create('/logical-databases', fields({ server: own, database: 'shop' }))
    expect((await remove('/databases', own)).body.error).to.equal(
      `delete the logical databases on this server first: ${name}`,
    )
    expect((await remove('/logical-databases', name, 'other')).body.error).to.equal(
      'confirmation did not match the resource name',
    )
    const dashboard = await world.api.ask('POST', `/api/logical-databases/${name}/delete`, {
      ...world.cookie,
      form: { confirmName: name },
    })
    expect(dashboard.body).to.deep.equal({ ok: true })
    expect((await world.ask('GET', `/logical-databases/${name}`)).status).to.equal(404)
    expect((await remove('/databases', own)).body).to.deep.equal({ ok: true })
    expect((await remove('/logical-databases', name)).status).to.equal(404)
  })

  it('POST /api/logical-databases/{logicalDatabase}/retry-provision is for failed ones', async () => {
    const name = await world.create('/logical-databases', fields({ database: 'retried' }))
    const retry = () => world.api.ask('POST', `/api/logical-databases/${name}/retry-provision`, world.cookie)
    expect((await retry()).body.error).to.equal('only a failed deploy can be retried; this logical database is pending')
    const record = await world.record<LogicalDatabase>('logicalDatabase', name)
    if (record === undefined) throw new Error('no record')
    const failed = {
      type: 'Ready',
      status: 'False',
      reason: 'ProvisionFailed',
      message: 'refused',
      lastTransitionTime: '2026-11-21T13:00:00Z',
    }
    await world.client.patch(
      ref(name),
      { status: { observedIntent: provisionIntent(record, record.spec), conditions: [failed] } },
      { subresource: 'status' },
    )
    await world.api.needs.records.logicalDatabases.readLive(name)
    expect((await world.ask('GET', `/logical-databases/${name}`)).body.resource).to.include({
      state: 'failed',
      message: 'refused',
    })
    expect((await retry()).body).to.deep.equal({ ok: true })
    expect((await world.ask('GET', `/logical-databases/${name}`)).body.resource.state).to.equal('pending')
  })
})
