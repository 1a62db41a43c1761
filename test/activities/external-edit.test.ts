/** An edit by kubectl that a deploy takes along before it is deployed by itself. */
import { expect } from 'chai'
import { deployExternalEdit } from '../../activities/apps/external-edit.ts'
import type { ActivityNeeds } from '../../activities/context/needs.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { createApp, createProject, deploy, type TestRecords, useRecords } from '../harness/records.ts'
import { withoutWorker } from '../harness/worker.ts'

describe('an edit by kubectl', function () {
  this.timeout(60_000)
  let records: TestRecords

  before(async () => {
    await withoutWorker()
    records = await useRecords()
  })
  afterEach(forgetRecords)

  /** Deploys the edit of the service; `meanwhile` runs after the record was read, before anything is written. */
  async function deployEdit({ metadata: { name, uid = '' } }: App, meanwhile: () => Promise<void>) {
    let isFirst = true
    const reserve = async () => {
      if (!isFirst) return
      isFirst = false
      await meanwhile()
    }
    const needs = { ...records, reserve } as unknown as ActivityNeeds // all that an edit needs
    return deployExternalEdit(needs)({ name, uid })
  }

  const edited = async (): Promise<App> => {
    const app = await createApp(records, await createProject(records))
    await deploy(records, app)
    const change = (current: App): App => ({ ...current, spec: { ...current.spec, replicas: 1, port: 9090 } })
    return (await records.apps.edit(app.metadata.name, change)) ?? app
  }

  it('is left to the deploy that was accepted meanwhile, and leaves nothing of its own', async () => {
    const draft = await edited()
    let accepted: App | undefined
    const plan = await deployEdit(draft, async () => void (accepted = await deploy(records, draft)))
    const { attempt, lastDeployed } = viewOf((await records.apps.readLive(draft.metadata.name)) ?? draft)
    expect(lastDeployed?.port).to.equal(9090)
    expect(attempt?.operation).to.equal('deploy')
    expect(attempt?.record).to.equal(accepted === undefined ? '' : viewOf(accepted).attempt?.record)
    expect(plan).to.include({ story: 'deploy', attempt: attempt?.record })
    const { items } = await records.client.list<KubeObject>(coreTypes.event, {
      namespace: systemNamespace,
      fieldSelector: `involvedObject.uid=${draft.metadata.uid ?? ''}`,
    })
    expect(items, 'Events of an edit that is deployed').to.deep.equal([])
  })

  it('is deployed by itself where nothing else is', async () => {
    const draft = await edited()
    const plan = await deployEdit(draft, async () => undefined)
    const { attempt } = viewOf((await records.apps.readLive(draft.metadata.name)) ?? draft)
    expect(attempt).to.include({ operation: 'kubectl', title: 'Edited with kubectl' })
    expect(plan).to.include({ story: 'deploy', attempt: attempt?.record })
  })
})
