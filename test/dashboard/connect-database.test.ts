/** Connecting a server elsewhere in the browser, and changing its login. */
import { expect } from 'chai'
import type { Database } from '../../kinds/databases/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('a database elsewhere in the dashboard', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let view: View
  const name = uniqueName('elsewhere')

  before(async () => {
    // Without a worker: no server is there to connect to.
    dashboard = await startTestDashboard({}, async () => undefined)
    view = await dashboard.open(`/projects/${await dashboard.project('Connecting')}/create`)
  })
  after(async () => await dashboard?.stop())
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  async function spec(): Promise<Database['spec'] | undefined> {
    const { client } = await useStack()
    const ref = { type: resourceTypes.database, namespace: systemNamespace, name }
    return (await client.get<Database>(ref))?.spec
  }

  it('is connected by a form that judges each field, and leads to its page', async () => {
    const { page } = view
    await page.getByRole('radiogroup', { name: 'What to create' }).getByText('Database elsewhere').click()
    await page.getByLabel('Host').fill('https://db')
    await page.getByText('host must be a host name or an IPv4 address').waitFor()
    await page.getByLabel('Host').fill('db.example.com')
    await page.getByLabel('Login').fill('app')
    await page.getByLabel('Password').fill('first-of-them')
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('How it is secured').selectOption('require')
    await page.getByRole('button', { name: 'Connect the database' }).click()
    await page.waitForURL((url) => url.pathname === `/databases/${name}`)
    expect(await spec()).to.include({ mode: 'Connect', externalHost: 'db.example.com', externalPort: 5432 })
  })

  it('gets another login on its page', async () => {
    const panel = view.page.getByRole('region', { name: 'Login at the server' })
    const before = await spec()
    await panel.getByLabel('Host').fill('db2.example.com')
    await panel.getByLabel('Password').fill('second-of-them')
    await panel.getByRole('button', { name: 'Change the login' }).click()
    await eventually('it is saved', async () => (await spec())?.externalHost === 'db2.example.com')
    const after = await spec()
    expect(after?.externalUsername).to.equal('app')
    expect(after?.externalPasswordRef?.name).not.to.equal(before?.externalPasswordRef?.name)
    await panel.getByRole('status').getByText('Saved, and being tried').waitFor()
  })
})
