/** What a change of placement would bring about is said while it is typed, before it is saved. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { placed } from '../../kinds/nodes/placement.ts'
import { tagsOf, type TaggedNode } from '../../kinds/placement/node-tags.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { violations } from './axe.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('warnings of a placement before it is saved', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let project: string
  let view: View
  const [node, tag, web, free] = [uniqueName('node'), uniqueName('tag'), uniqueName('web'), uniqueName('free')]

  before(async () => {
    // Without a worker: a deploy stays as it was accepted.
    dashboard = await startTestDashboard({}, async () => undefined)
    const capacity = { cpu: '8', memory: '32Gi' }
    // Its tag is reserved, which keeps pods of other tests off it.
    const bare = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: node },
      status: { allocatable: capacity, capacity },
    }
    const tags = [{ name: tag, reserved: true, compliance: false }]
    await (
      await useStack()
    ).client.create(coreTypes.node, placed<KubeObject & TaggedNode>(bare, { region: '', zone: '', tags }))
    project = await dashboard.project('Placed')
    const service = { project, environment: 'production', image: 'svc/hello:1' }
    for (const json of [
      { ...service, name: web },
      { ...service, name: free, deploy: true },
    ])
      expect((await ask('POST', '/apps', json)).status).to.equal(200)
    // Until then the cluster itself keeps pods off it.
    await eventually(
      'the node is ready',
      async () => {
        const { body } = await ask('GET', '/nodes', undefined)
        return body.items.some((each: { name: string; ready: boolean }) => each.name === node && each.ready)
      },
      20_000,
    )
    const saved = await ask('PATCH', `/apps/${web}`, { runOnTags: [tag], deploy: true })
    expect(saved.status, saved.text).to.equal(200)
    view = await dashboard.open('/cluster')
  })
  after(async () => {
    await dashboard?.stop()
    await (await useStack()).client.delete({ type: coreTypes.node, name: node })
  })
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  const ask = async (method: string, path: string, json: unknown) =>
    dashboard.ask(method, `/api/v1${path}`, { cookie: await dashboard.signIn('admin'), json })
  const tagsNow = async () => {
    const found = await (await useStack()).client.get<KubeObject & TaggedNode>({ type: coreTypes.node, name: node })
    return found === undefined ? [] : tagsOf(found).map(({ name }) => name)
  }

  it('name the services that no node is left for, and nothing is written before the save', async () => {
    const { page } = view
    await page.getByRole('button', { name: `Place ${node}` }).click()
    const dialog = page.getByRole('dialog')
    const reserved = dialog.getByLabel('Reserved tags')
    const warning = dialog.getByText(`Before you save: no node is left for new copies of: ${web}.`)
    await reserved.fill('')
    await warning.waitFor()
    expect(await tagsNow()).to.deep.equal([tag])
    expect(await violations(page)).to.deep.equal([])
    await reserved.fill(tag)
    await dialog.getByLabel('Tags', { exact: true }).fill('more')
    await dialog.getByText('Nothing that runs would move or be left without a node.').waitFor()
    await reserved.fill('')
    await warning.waitFor()
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await warning.waitFor({ state: 'hidden' })
    await reserved.fill('')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('status').getByText('Saved').waitFor()
    await dialog.getByText(`no node is left for new copies of: ${web}`).waitFor()
    expect(await tagsNow()).to.deep.equal([])
    await reserved.fill(tag)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText(`no node is left for new copies of: ${web}`).waitFor({ state: 'hidden' })
  })

  it('are of the node as it is: tags that another administrator gave meanwhile are seen before they are overwritten', async () => {
    const { page } = view
    const dialog = page.getByRole('dialog')
    const reserved = dialog.getByLabel('Reserved tags')
    const place = async (tags: readonly string[]) =>
      expect((await ask('POST', `/nodes/${node}/placement`, { reserved: [tag, ...tags] })).status).to.equal(200)
    await dialog.getByLabel('Tags', { exact: true }).fill('mine')
    await place(['theirs'])
    await dialog.getByText('Changed meanwhile by others, and shown as it is now: Reserved tags.').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('status').getByText('Saved').waitFor()
    expect(await tagsNow()).to.have.members([tag, 'theirs', 'mine'])

    // The page learns of this change only once its own save was answered.
    const answered = page.waitForResponse(/\/placement$/)
    await page.route(/\/nodes$/, async (route) => {
      await answered
      await route.continue()
    })
    await reserved.fill(tag)
    await place(['theirs', 'more'])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Changed meanwhile by others: Reserved tags is now').waitFor()
    expect(await tagsNow()).to.have.members([tag, 'theirs', 'more'])
    await page.unrouteAll()
    await dialog.getByRole('button', { name: 'Keep mine' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('status').getByText('Saved').waitFor()
    expect(await tagsNow()).to.deep.equal([tag])
    await view.expectComplaint('400')
  })

  it('name the services of a project whose copies would move, and say why a save would be refused', async () => {
    const { page } = view
    await page.goto(`${dashboard.baseUrl}/projects/${project}/settings`)
    const place = page.getByRole('region', { name: 'Name and region' })
    await place.getByLabel('Region').fill('mars')
    await place.getByText(`Before you save: no node fits these services; their copies stay`).waitFor()
    await place.getByText(`${[free, web].toSorted().join(', ')}.`).waitFor()
    await place.getByRole('button', { name: 'Undo' }).click()
    const compliance = page.getByRole('region', { name: 'Compliance' })
    await compliance.getByLabel('Required tags').fill(tag)
    await compliance.getByText(`new copies of these services start on nodes that fit, and replace`).waitFor()
    expect(await compliance.getByText(`those that run: ${free}.`).count()).to.equal(1)
    await compliance.getByLabel('Required tags').fill('nowhere')
    await compliance.getByText('Before you save: no node carries the tag nowhere.').waitFor()
    expect(await violations(page)).to.deep.equal([])
    await compliance.getByRole('button', { name: 'Undo' }).click()
    const { body } = await ask('GET', `/projects/${project}`, undefined)
    expect([body.spec.region, body.spec.requiredTags]).to.deep.equal(['', []])
  })
})
