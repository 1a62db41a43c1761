/**
 * A service with rollbackOnFailure runs its last good release again after a failed deploy; status and history say so.
 */
import { expect } from 'chai'
import { viewOf } from '../../kinds/apps/view.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { pendingChangesOf } from '../../kinds/provision/draft.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { appState } from '../../kinds/apps/state.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { editSpec } from '../../records/apps/edit-app.ts'
import { type TestRecords, createApp, deploy, until, untilState } from '../harness/records.ts'
import { attemptIn, liveDeployment, openWorld, stepsOf } from './service-world.ts'

describe('rollbackOnFailure', function () {
  this.timeout(120_000) // every test waits for crash loops
  let records: TestRecords
  let project: Project

  before(async () => {
    ;({ records, project } = await openWorld())
  })

  const wanting = async (image = 'svc/hello:1') => {
    const app = await createApp(records, project, { image, configData: { COLOUR: 'green' } })
    await editSpec(records, app.metadata.name, ({ spec }) => ({
      ...spec,
      deploy: { ...spec.deploy, rollbackOnFailure: true },
    }))
    return app
  }
  const change = (app: App, spec: Partial<App['spec']>) =>
    editSpec(records, app.metadata.name, (current) => ({ ...current.spec, ...spec }))
  const takenBack = (app: App) =>
    until(
      records.apps,
      app,
      (record) =>
        record !== undefined && viewOf(record).attempt?.because !== undefined && appState(record).state === 'ready',
      'ready after its rollback',
    )

  it('deploys the last good release again, and keeps what failed as changes to deploy', async () => {
    const app = await wanting()
    const good = attemptIn(await deploy(records, app))
    await untilState(records, app, 'ready', good)
    await change(app, { source: { image: { image: 'svc/hello:crash' } }, configData: { COLOUR: 'red' }, replicas: 2 })
    const failed = attemptIn(await deploy(records, app))
    const back = await takenBack(app)
    expect(viewOf(back).effectiveSpec).to.deep.include({
      source: { image: { image: 'svc/hello:1' } },
      configData: { COLOUR: 'green' },
      replicas: 2,
    })
    expect(back.spec).to.deep.include({
      source: { image: { image: 'svc/hello:crash' } },
      configData: { COLOUR: 'red' },
    })
    expect(pendingChangesOf(back)).to.deep.equal(['settings', 'variables'])
    expect((await liveDeployment(records, app))?.spec.template.spec.containers[0]?.image).to.equal('svc/hello:1')
    const again = attemptIn(back)
    expect(back.status?.lastAttempt).to.deep.include({ id: again, phase: 'Succeeded' })
    expect(back.status?.lastAttempt?.errors?.[0]).to.match(new RegExp(`^${failed} failed: .*keeps exiting`))
    expect(await stepsOf(records, failed)).to.match(new RegExp(`Failed: [^]*putting ${good} back as ${again}`))
    expect(await stepsOf(records, again)).to.include(`accepted: Rollback after ${failed} failed (rollback by svc)`)
  })

  it('leaves a first deploy that failed as it is, and a rollback that fails', async () => {
    const app = await wanting('svc/hello:crash')
    const first = attemptIn(await deploy(records, app))
    await untilState(records, app, 'failed', first)
    await change(app, { source: { image: { image: 'svc/hello:1' } } })
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    await change(app, { source: { image: { image: 'svc/hello:crash' } } })
    const rollback = attemptIn(await deploy(records, app, { operation: 'rollback' }))
    await untilState(records, app, 'failed', rollback)
  })

  const notKept = (good: string) => `release ${good} is not kept any more`
  it('says so when the release to go back to is not kept any more', () =>
    refuses(notKept, (good, uid) => records.deployments.remove(good, uid)))

  for (const [what, annotation, text, why] of [
    ['Secret', annotations.release, '../secrets/x', 'it names no Secret'],
    ['spec', annotations.releaseSpec, '{"replicas":', 'it is no JSON'],
  ] as const)
    it(`says so when kubectl made the ${what} of the release to go back to unreadable`, () =>
      refuses(
        () => `the annotation ${annotation} cannot be read: ${why}`,
        async (name) => {
          const metadata = { annotations: { [annotation]: text } }
          await records.client.patch({ type: resourceTypes.deployment, namespace: systemNamespace, name }, { metadata })
        },
      ))

  /** Fails a deploy after `harm` was done to the record of the one before. */
  async function refuses(
    why: (good: string) => string,
    harm: (good: string, uid: string) => Promise<unknown>,
  ): Promise<void> {
    const app = await wanting()
    const good = attemptIn(await deploy(records, app))
    await untilState(records, app, 'ready', good)
    await harm(good, (await records.deployments.readLive(good))?.metadata.uid ?? '')
    await change(app, { source: { image: { image: 'svc/hello:crash' } } })
    const failed = attemptIn(await deploy(records, app))
    const notRolledBack = await until(
      records.apps,
      app,
      (record) => appState(record ?? app).message.includes('it was not rolled back'),
      'not rolled back',
    )
    expect(appState(notRolledBack).message).to.match(new RegExp(`it was not rolled back: ${why(good)}$`))
    expect(await stepsOf(records, failed)).to.include(`not rolled back: ${why(good)}`)
  }
})
