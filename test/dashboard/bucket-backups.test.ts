/** The backups on the page of a bucket: switched on, listed, and restored into a new bucket; none of one in a cloud. */
import { expect } from 'chai'
import { makeConnection } from '../api/data-world.ts'
import { writeWholeBackup } from '../api/whole-backup.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { useStack } from '../harness/stack.ts'
import { violations } from './axe.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('the backups on the page of a bucket', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let project: string
  let view: View
  const store = uniqueName('media')
  const far = uniqueName('far')

  before(async () => {
    // Without a worker: backups stay as this test writes them.
    dashboard = await startTestDashboard({}, async () => undefined)
    project = await dashboard.project('Kept buckets')
    const cookie = await dashboard.signIn('admin')
    const place = { project, environment: 'production' }
    for (const json of [
      { ...place, name: store, bucket: 'media', deploy: true },
      {
        ...place,
        name: far,
        placement: 'External',
        connectionRef: await makeConnection(await useStack(), project, 'AWS'),
      },
    ])
      await dashboard.ask('POST', '/api/v1/object-stores', { cookie, json })
    view = await dashboard.open(`/buckets/${store}`)
  })
  after(() => dashboard?.stop())
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  it('say what is missing before one is asked for, and keep the setting of daily ones', async () => {
    const panel = view.page.getByRole('region', { name: 'Backups' }).first()
    await panel.getByText('No backup yet').waitFor()
    await panel.getByRole('link', { name: 'Choose one' }).waitFor()
    const back = panel.getByRole('button', { name: 'Back up now', disabled: true })
    expect(await back.getAttribute('title')).to.equal('The bucket was not made yet')
    await panel.getByLabel('Back up every day').check()
    await panel.getByLabel('Kept for (days)').fill('30')
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.getByRole('status').getByText('Saved').waitFor()
    await panel.getByText('one every day').waitFor()
  })

  it('show one that is whole, and restore it into a new bucket', async () => {
    const { page } = view
    const of = { databaseKind: 'ObjectStore', database: store, engine: 'bucket', version: '', buckets: ['media'] }
    await writeWholeBackup((await useStack()).client, { project, ...of }, { counts: { objects: 3, bytes: 9 } })
    const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Restore' }) })
    await row.getByText('9 B').waitFor()
    await row.getByRole('button', { name: 'Restore' }).click()
    const dialog = page.getByRole('dialog', { name: 'Restore into a new bucket?' })
    await dialog.getByText('gets the 3 objects as of').waitFor()
    expect(await violations(page)).to.deep.equal([])
    await dialog.getByRole('button', { name: 'Restore' }).click()
    await page.waitForURL((url) => !url.pathname.endsWith(`/${store}`) && url.pathname.includes('/buckets/'))
    await page.getByRole('heading', { level: 1 }).waitFor()
  })

  it('are not asked for where the bucket is the backup storage itself', async () => {
    const cookie = await dashboard.signIn('admin')
    const ref = { type: resourceTypes.objectStore, namespace: systemNamespace, name: store }
    await (await useStack()).client.patch(ref, { status: { connectionSecret: 'made' } }, { subresource: 'status' })
    const json = { connection: store, bucket: 'media', region: '' }
    const saved = await dashboard.ask('POST', `/api/v1/projects/${project}/backup-storage`, { cookie, json })
    expect(saved.status, saved.text).to.equal(200)
    view = await dashboard.open(`/buckets/${store}`)
    const panel = view.page.getByRole('region', { name: 'Backups' }).first()
    await panel
      .getByTitle('The bucket has the backups of its project, and is not backed up')
      .and(panel.getByRole('button', { name: 'Back up now', disabled: true }))
      .waitFor()
    expect(await panel.getByRole('link', { name: 'Choose one' }).count()).to.equal(0)
  })

  it('are not there for a bucket in a cloud', async () => {
    view = await dashboard.open(`/buckets/${far}`)
    await view.page.getByRole('region', { name: 'Settings' }).first().waitFor()
    expect(await view.page.getByRole('region', { name: 'Backups' }).count()).to.equal(0)
  })
})
