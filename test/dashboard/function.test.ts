/** The page of a function: calling it by hand, its schedules, and a run that is asked for. */
import { expect } from 'chai'
import { createScheduleStarts } from '../../temporal/client/schedules.ts'
import type { TestReceiver } from '../outside/webhooks/receiver.ts'
import { startTestWorker, type TestWorker } from '../harness/worker.ts'
import { useClient } from '../harness/temporal-client.ts'
import { startCopies } from '../workflows/schedule-world.ts'
import { violations } from './axe.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('a function in the dashboard', function () {
  this.timeout(300_000)
  let dashboard: TestDashboard
  let worker: TestWorker | undefined
  let copies: TestReceiver
  let view: View
  const name = uniqueName('hello')

  before(async () => {
    const started = await startCopies()
    copies = started.copies
    const scheduleStarts = createScheduleStarts({ client: await useClient() })
    dashboard = await startTestDashboard({ env: started.env, scheduleStarts }, async () => {
      worker = await startTestWorker({}, 'temporal/main.ts', started.env)
    })
    const project = await dashboard.project('Functions')
    const { status, text } = await dashboard.ask('POST', '/api/v1/apps', {
      cookie: await dashboard.signIn('admin'),
      json: { project, environment: 'production', name, source: 'function', code: 'export default 1', deploy: true },
    })
    expect(status, text).to.equal(200)
    view = await dashboard.open(`/services/${name}`)
    await view.page.getByText('Running: 1 of 1 copy ready.').waitFor()
    await view.page.getByRole('link', { name: 'Calls and schedules' }).click()
  })
  after(async () => {
    await dashboard?.stop()
    await worker?.stop()
  })
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  it('is called, and what it answers is shown whatever the status is', async () => {
    const { page } = view
    const answer = page.getByRole('region', { name: 'Answer' })
    const panel = page.getByRole('region', { name: 'Call it' })
    await panel.getByLabel('Path').fill('greetings')
    await panel.getByText('path must start with /').waitFor()
    await panel.getByLabel('Path').fill('/greetings?all=1')
    await panel.getByLabel('Method').selectOption('POST')
    await panel.getByLabel('Body').fill('{"to": "you"}')
    copies.answer((response) => void response.writeHead(422, { 'content-type': 'text/plain' }).end('no greeting'))
    await panel.getByRole('button', { name: 'Call' }).click()
    await answer.getByText('422').waitFor()
    await answer.getByText('no greeting').waitFor()
    await answer.getByText('text/plain').waitFor()
    await answer.getByText(/^\d+ ms, through svc$/).waitFor()
    expect(copies.received.at(-1)).to.deep.include({ method: 'POST', path: '/greetings?all=1', body: '{"to": "you"}' })
    copies.answer((response) => void response.writeHead(200).end('x'.repeat(2 * 1024 * 1024)))
    await panel.getByRole('button', { name: 'Call' }).click()
    await answer.getByText('only the first 1.0 MiB were read').waitFor()
    expect(await violations(page)).to.deep.equal([])
    copies.answer((response) => void response.destroy())
    await panel.getByRole('button', { name: 'Call' }).click()
    await panel.getByRole('alert').getByText('The function could not be reached').waitFor()
    await view.expectComplaint('400')
  })

  it('gets a schedule, which runs from the next deploy on and when it is asked for', async () => {
    const { page } = view
    const panel = page.getByRole('region', { name: 'Schedules' }).first()
    await panel.getByText('No schedules').waitFor()
    await panel.getByLabel('Name').fill('nightly')
    await panel.getByLabel('When').fill('at night')
    await panel.getByText('a schedule must be a five-field cron expression').waitFor()
    await panel.getByLabel('When').fill('0 3 * * *')
    await panel.getByRole('button', { name: 'Add the schedule' }).click()
    await panel.getByText('starts with the next deploy').last().waitFor()
    const run = panel.getByRole('button', { name: 'Run now: nightly' })
    expect(await run.getAttribute('aria-disabled')).to.equal('true')
    await page.getByRole('button', { name: 'Deploy changes' }).click()
    await panel.getByText(/^Next: .* 03:00/).waitFor()
    copies.answer((response) => void response.writeHead(202).end())
    await run.click()
    const row = panel.getByRole('row').filter({ hasText: 'Succeeded' }).first()
    await row.getByText('202', { exact: true }).waitFor()
    await row.getByText(/^\d+ ms$/).waitFor()
    expect(await violations(page)).to.deep.equal([])
    await panel.getByRole('button', { name: 'Remove nightly' }).click()
    const removal = page.getByRole('dialog', { name: 'Remove nightly?' })
    await removal.waitFor()
    expect(await violations(page)).to.deep.equal([])
    await removal.getByRole('button', { name: 'Remove it' }).click()
    await panel.getByText('ends with the next deploy').waitFor()
  })

  it('is closed to viewers, with the reason', async () => {
    const viewer = await dashboard.open(`/services/${name}/function`, 'viewer')
    await viewer.page.getByText('Only administrators call functions').waitFor()
    expect(viewer.complaints).to.deep.equal([])
  })
})
