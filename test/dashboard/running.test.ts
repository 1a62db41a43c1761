/** What a service runs, beside what is saved of it. */
import { expect } from 'chai'
import type { View } from '../../contract/operations.ts'
import { imagesOf, sourceRows } from '../../dashboard/apps/running.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View as Opened } from './dashboard.ts'

type Copy = View<'apps.copies'>['items'][number]
type Deployment = View<'apps.deployments'>['items'][number]

describe('what a service runs', () => {
  const copy = (deployment: string, phase = 'Running') => ({ deployment, phase }) as Copy
  const deployments = [
    { id: 'web-b', image: 'hello:2' },
    { id: 'web-a', image: 'hello:1' },
  ] as Deployment[]

  it('is what its copies are of, once each, without those that end and those that are not known', () => {
    expect(imagesOf({ copies: [copy('web-a'), copy('web-a')], deployments })).to.deep.equal(['hello:1'])
    expect(imagesOf({ copies: [copy('web-b'), copy('web-a')], deployments })).to.deep.equal(['hello:2', 'hello:1'])
    expect(imagesOf({ copies: [copy('web-b'), copy('web-a', 'Terminating')], deployments })).to.deep.equal(['hello:2'])
    expect(imagesOf({ copies: [copy('web-0'), copy('')], deployments })).to.deep.equal([])
  })

  it('has a row of its own where it is not what is saved', () => {
    expect(sourceRows('1 copy of hello:2', [])).to.deep.equal([['Source', '1 copy of hello:2']])
    expect(sourceRows('1 copy of hello:3', ['hello:2', 'hello:1'])).to.deep.equal([
      ['Runs now', 'hello:2 and hello:1'],
      ['Saved', '1 copy of hello:3'],
    ])
  })

  describe('in the dashboard', function () {
    this.timeout(180_000)
    let dashboard: TestDashboard
    let view: Opened
    const web = uniqueName('web')

    before(async () => {
      dashboard = await startTestDashboard()
      const project = await dashboard.project('Running')
      await ask('POST', '/apps', { project, environment: 'production', name: web, image: 'svc/hello:1', deploy: true })
      view = await dashboard.open(`/services/${web}`)
    })
    after(() => dashboard?.stop())

    async function ask(method: string, path: string, json: unknown) {
      const answer = await dashboard.ask(method, `/api/v1${path}`, { cookie: await dashboard.signIn('admin'), json })
      expect(answer.status, answer.text).to.equal(200)
    }

    it('stands beside the saved image until that is deployed', async () => {
      const { page } = view
      const facts = page.getByRole('region', { name: 'What it is' })
      const row = (name: string) => facts.getByRole('definition').and(facts.locator(`dt:text-is("${name}") + dd`))
      await row('Source').getByText('1 copy of svc/hello:1').waitFor()
      await page.getByText('1 of 1 copy ready').waitFor()
      await ask('PATCH', `/apps/${web}`, { image: 'svc/hello:2' })
      await row('Runs now').getByText('svc/hello:1').waitFor()
      await row('Saved').getByText('1 copy of svc/hello:2').waitFor()
      await ask('POST', `/apps/${web}/deploy`, {})
      await row('Source').getByText('1 copy of svc/hello:2').waitFor()
      expect(view.complaints).to.deep.equal([])
    })
  })
})
