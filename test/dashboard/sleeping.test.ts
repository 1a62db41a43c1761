/** A service that sleeps is said to sleep wherever its state is shown, and no longer once it is woken. */
import { expect } from 'chai'
import type { Locator } from 'playwright-core'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { useStack } from '../harness/stack.ts'
import { startTestDashboard, uniqueName, type TestDashboard } from './dashboard.ts'

describe('a service that sleeps', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let project: string
  const name = uniqueName('dozy')

  before(async () => {
    // Without a worker: the test alone says how the service is.
    dashboard = await startTestDashboard({}, async () => undefined)
    project = await dashboard.project('Idle')
    const service = { project, environment: 'production', name, image: 'svc/hello:1', deploy: true }
    const cookie = await dashboard.signIn('admin')
    const json = { ...service, scaleToZero: 'on', idleSeconds: 60 }
    const { status, text } = await dashboard.ask('POST', '/api/v1/apps', { cookie, json })
    expect(status, text).to.equal(200)
    await observe(true)
  })
  after(() => dashboard?.stop())

  async function observe(sleeping: boolean): Promise<void> {
    const { client } = await useStack()
    const ref = { type: resourceTypes.app, namespace: systemNamespace, name }
    const app = await client.get<App>(ref)
    if (app === undefined) throw new Error('the service is gone')
    const { intent } = viewOf(app)
    const [at, message] = [new Date().toISOString(), '']
    const conditions = [{ type: 'Ready', status: 'True', reason: 'Ready', message, lastTransitionTime: at }]
    const scaleToZero = { active: true }
    const status = { observedIntent: intent, acceptedIntent: intent, conditions, scaleToZero, sleeping }
    await client.patch<App>(ref, { status }, { subresource: 'status' })
  }

  it('is shown so by the card, the table, the overview and its page, live', async () => {
    const views = await Promise.all(
      ['/', `/projects/${project}`, `/services/${name}`].map((path) => dashboard.open(path)),
    )
    const [overview, environment, service] = views.map(({ page }) => page.getByRole('main'))
    const row = overview?.getByRole('row').filter({ hasText: 'Idle' })
    const places: [string, Locator | undefined][] = [
      ['overview', row?.getByText('1 sleeping')],
      ['card', environment?.locator(`[data-resource="${name}"]`).getByText('Sleeping')],
      ['page', service?.getByText('Sleeping', { exact: true })],
    ]
    for (const [where, place] of places)
      await place?.waitFor().catch(() => expect.fail(`the ${where} does not say that it sleeps`))
    await environment?.getByRole('searchbox').fill('sleeping')
    expect(await places[1]?.[1]?.count()).to.equal(1)
    await environment?.getByRole('searchbox').fill('')
    await observe(false)
    for (const [, place] of places) await place?.waitFor({ state: 'hidden' })
    for (const { complaints } of views) expect(complaints).to.deep.equal([])
  })
})
