/** The page of a database: its backups, restoring one, and its metrics out of a real store. */
import { expect } from 'chai'
import { freePort } from '../../one-machine/processes/index.ts'
import { startExporter, type Exporter } from '../api/sample-exporter.ts'
import { writeWholeBackup } from '../api/whole-backup.ts'
import { eventually } from '../cluster/eventually.ts'
import { metricsStoreWithinMs, startMetricsStore, type TestMetricsStore } from '../harness/metrics-store.ts'
import { useStack } from '../harness/stack.ts'
import { violations } from './axe.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('the page of a database', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let exporter: Exporter
  let store: TestMetricsStore
  let project: string
  let view: View
  const database = uniqueName('orders')

  before(async function () {
    this.timeout(metricsStoreWithinMs)
    const port = await freePort()
    const env = { SVC_PROMETHEUS_URL: `http://127.0.0.1:${port}` }
    // Without a worker: backups stay as this test writes them.
    dashboard = await startTestDashboard({ env }, async () => undefined)
    project = await dashboard.project('Kept databases')
    const cookie = await dashboard.signIn('admin')
    const place = { project, environment: 'production', cpu: '10m', memory: '32Mi' }
    await dashboard.ask('POST', '/api/v1/databases', {
      cookie,
      json: { ...place, name: database, engine: 'redis', deploy: true },
    })
    const labels = { namespace: `${project}-production`, pod: `${database}-0`, container: 'redis' }
    exporter = await startExporter([
      { name: 'container_cpu_usage_seconds_total', labels, perSecond: 0.5 },
      { name: 'container_memory_working_set_bytes', labels, value: 512 * 1024 * 1024 },
    ])
    store = await startMetricsStore({ port, exporter })
    const cpu = async () =>
      (await dashboard.ask('GET', `/api/v1/databases/${database}/metrics`, { cookie })).body.series?.cpu?.length > 0
    await eventually('the samples are in', cpu, 60_000)
    view = await dashboard.open(`/databases/${database}`)
  })
  after(async () => {
    await store?.stop()
    await exporter?.stop()
    await dashboard?.stop()
  })
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  it('draws its metrics, with the numbers as text', async () => {
    const { page } = view
    await page.getByRole('img', { name: 'CPU: used 0.50 cores now, 0.50 cores at most' }).locator('canvas').waitFor()
    await page.getByRole('img', { name: 'Memory: used 512 MiB now' }).waitFor()
    await page.getByRole('radiogroup', { name: 'Window' }).getByText('15m').click()
    await page.getByRole('img', { name: 'CPU: used 0.50 cores now' }).locator('canvas').waitFor()
  })

  it('says what a backup lacks before one is asked for, and keeps the setting of daily ones', async () => {
    const { page } = view
    const panel = page.getByRole('region', { name: 'Backups' }).first()
    await panel.getByText('No backup yet').waitFor()
    const storage = panel.getByRole('link', { name: 'Choose one' })
    await storage.waitFor()
    const back = panel.getByRole('button', { name: 'Back up now' })
    expect(await back.getAttribute('title')).to.equal('Choose a backup storage for the project first')
    expect(await back.getAttribute('aria-disabled')).to.equal('true')
    expect(await storage.getAttribute('href')).to.match(new RegExp(`/projects/${project}/settings#backup-storage$`))
    await panel.getByLabel('Back up every day').check()
    await panel.getByLabel('Kept for (days)').fill('0')
    await panel.getByText('backupRetentionDays must be').waitFor()
    await panel.getByLabel('Kept for (days)').fill('30')
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.getByRole('status').getByText('Saved').waitFor()
  })

  it('has its saved changes discarded, by itself and with all of the environment', async () => {
    const { page } = view
    const memory = page.getByRole('region', { name: 'Settings' }).getByLabel('Memory')
    const save = async (text: string) => {
      await memory.fill(text)
      await page.getByRole('region', { name: 'Settings' }).getByRole('button', { name: 'Save' }).click()
      await page.getByRole('button', { name: 'Deploy changes' }).waitFor()
    }
    const before = await memory.inputValue()
    await save('700Mi')
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
    const one = page.getByRole('dialog', { name: `Discard the changes of ${database}?` })
    await one.getByText('It goes back to what runs: settings.').waitFor()
    await one.getByRole('button', { name: 'Discard them' }).click()
    await page.getByRole('button', { name: 'Deploy changes' }).waitFor({ state: 'detached' })
    await eventually('the form shows what runs', async () => (await memory.inputValue()) === before)
    await save('800Mi')
    await page.goto(`${dashboard.baseUrl}/projects/${project}/changes?environment=production`)
    await page.getByRole('button', { name: 'Discard all' }).click()
    const all = page.getByRole('dialog', { name: 'Discard all changes?' })
    await all.getByRole('listitem').getByText(database).waitFor()
    await all.getByRole('button', { name: 'Discard them' }).click()
    await page.getByText('Nothing is pending').first().waitFor()
    await page.goto(`${dashboard.baseUrl}/databases/${database}`)
    await memory.waitFor()
    expect(await memory.inputValue()).to.equal(before)
  })

  it('shows a backup when it is whole, and restores it into a new database', async () => {
    const { page } = view
    const { client } = await useStack()
    const at = new Date().toISOString()
    const drill = { asked: at, at, outcome: 'Proven', message: '', replayedTo: '2026-01-31T10:00:00Z' } as const
    const proven = { lastProvenAt: at, drill, noLaterMoments: 'the server keeps no binary log' }
    const archive = await writeWholeBackup(client, { project, database, engine: 'redis', version: '7' }, proven)
    const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Restore' }) })
    await row.getByText('9 B').waitFor()
    await row.getByText('this moment alone: the server keeps no binary log').waitFor()
    await row.getByText('replayed to').locator(`time[datetime="${drill.replayedTo}"]`).waitFor()
    await row.getByRole('button', { name: 'Delete' }).click()
    const deletion = page.getByRole('dialog', { name: `Delete ${archive}?` })
    await deletion.waitFor()
    expect(await violations(page)).to.deep.equal([])
    await deletion.getByRole('button', { name: 'Keep it' }).click()
    await row.getByRole('button', { name: 'Restore' }).click()
    const dialog = page.getByRole('dialog', { name: 'Restore into a new database?' })
    await dialog.getByText('A new redis 7 is made').waitFor()
    expect(await violations(page)).to.deep.equal([])
    await dialog.getByRole('button', { name: 'Restore' }).click()
    await page.waitForURL((url) => !url.pathname.endsWith(`/${database}`) && url.pathname.includes('/databases/'))
    await page.getByRole('heading', { level: 1 }).waitFor()
  })
})
