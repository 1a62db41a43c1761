/** The query pane on the page of a database, on a real postgres. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { makeConnectionSecret } from '../api/data-world.ts'
import { eventually } from '../cluster/eventually.ts'
import { type Engine, engineWithinMs, startPostgres } from '../harness/engines.ts'
import { useStack } from '../harness/stack.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('the query pane of a database', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let server: Engine
  let view: View
  const name = uniqueName('asked')
  let place: { project: string; environment: string }

  before(async function () {
    this.timeout(2 * engineWithinMs)
    server = await startPostgres()
    // Without a worker: the record stays as this test writes it.
    dashboard = await startTestDashboard({}, async () => undefined)
    const { client } = await useStack()
    const project = await dashboard.project('Asked')
    place = { project, environment: 'production' }
    const cookie = await dashboard.signIn('admin')
    await dashboard.ask('POST', '/api/v1/databases', {
      cookie,
      json: { ...place, name, deploy: true, cpu: '10m', memory: '32Mi' },
    })
    const ref = { type: resourceTypes.database, namespace: systemNamespace, name }
    const { host, port, admin } = server
    const values = { host, port: String(port), database: 'postgres', ...admin }
    await makeConnectionSecret({ client, project }, name, (await client.get<KubeObject>(ref))?.metadata.uid, values)
    await client.patch(ref, { status: { connectionSecret: `${name}-connection` } }, { subresource: 'status' })
    view = await dashboard.open(`/databases/${name}`)
  })
  after(async () => {
    await dashboard?.stop()
    await server?.stop()
  })
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  const pane = () => view.page.getByRole('region', { name: 'Query' })
  const run = async (statement: string, button = 'Run') => {
    await pane().getByLabel('Statement').fill(statement)
    await pane().getByRole('button', { name: button, exact: true }).click()
  }

  it('shows what a statement answers as a table, columns of one name included', async () => {
    await run("SELECT 7 AS n, 'seven' AS n, NULL AS nothing")
    const table = pane().getByRole('region', { name: 'Answer' })
    await table.getByRole('cell', { name: 'seven' }).waitFor()
    expect(await table.getByRole('columnheader').allTextContents()).to.deep.equal(['n', 'n', 'nothing'])
    expect(await table.getByRole('cell').allTextContents()).to.deep.equal(['7', 'seven', 'NULL'])
    await pane().getByRole('status').getByText('1 row ·').waitFor()
  })

  it('runs with Ctrl-Enter, and says in whose words it is refused', async () => {
    await pane().getByLabel('Statement').fill('SELECT * FROM nowhere')
    await pane().getByLabel('Statement').press('Control+Enter')
    await pane().getByText('relation "nowhere" does not exist (42P01)').waitFor()
    await view.expectComplaint('400')
  })

  it('writes when that is allowed, for one statement alone', async () => {
    await run('CREATE TABLE kept (id int)')
    await pane().getByText('ask with write for others').waitFor()
    await view.expectComplaint('400')
    await pane().getByLabel('Let it write').check()
    await run('CREATE TABLE kept (id int)', 'Run and write')
    await pane().getByRole('status').getByText('Done ·').waitFor()
    expect(await pane().getByLabel('Let it write').isChecked()).to.equal(false)
    expect((await server.sql(server.admin, 'postgres', 'SELECT count(*) FROM kept')).stdout).to.equal('0')
  })

  it('stops a statement at the server', async () => {
    const asleep = async () =>
      (
        await server.sql(
          server.admin,
          'postgres',
          "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)' AND state = 'active'",
        )
      ).stdout
    await run('SELECT pg_sleep(600)')
    await eventually('it runs', async () => (await asleep()) === '1', 20_000)
    await pane().getByRole('button', { name: 'Stop' }).click()
    await pane().getByText('Stopped').waitFor()
    await eventually('it ended', async () => (await asleep()) === '0', 20_000)
  })

  it('says of a redis that what may not write only reads, since nothing is rolled back there', async () => {
    const { client } = await useStack()
    const cookie = await dashboard.signIn('admin')
    const redis = uniqueName('kept')
    const json = { ...place, name: redis, engine: 'redis', deploy: true, cpu: '10m', memory: '32Mi' }
    expect((await dashboard.ask('POST', '/api/v1/databases', { cookie, json })).status).to.equal(200)
    const ref = { type: resourceTypes.database, namespace: systemNamespace, name: redis }
    const values = { host: server.host, port: '6379', database: '0', username: 'default', password: 'hush' }
    const uid = (await client.get<KubeObject>(ref))?.metadata.uid
    await makeConnectionSecret({ client, project: place.project }, redis, uid, values)
    await client.patch(ref, { status: { connectionSecret: `${redis}-connection` } }, { subresource: 'status' })
    const { page, complaints } = await dashboard.open(`/databases/${redis}`)
    await page.getByText('For this command; others may only read').waitFor()
    expect(await page.getByText('rolled back').count()).to.equal(0)
    expect(complaints).to.deep.equal([])
  })

  it('is closed to viewers', async () => {
    const viewer = await dashboard.open(`/databases/${name}`, 'viewer')
    await viewer.page.getByRole('region', { name: 'Query' }).getByText('Only administrators run queries.').waitFor()
    expect(viewer.complaints).to.deep.equal([])
  })
})
