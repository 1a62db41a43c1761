/** Which deployment records of a service are kept, with their logs. */
import { expect } from 'chai'
import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { type TestRecords, createApp, deploy, until, untilState } from '../harness/records.ts'
import { useWorker, withoutWorker } from '../harness/worker.ts'
import { attemptIn, edit, openWorld, stepsOf } from './service-world.ts'

describe('the records of deploys', function () {
  this.timeout(60_000)
  let records: TestRecords
  let project: Project

  before(async () => {
    ;({ records, project } = await openWorld())
  })

  it('keeps the newest twelve records, with the log of each, and the active one', async function () {
    this.timeout(120_000)
    const app = await createApp(records, project, { replicas: 0 })
    const attempts: string[] = []
    for (let round = 0; round < 14; round += 1) {
      attempts.push(attemptIn(await deploy(records, app)))
      await untilState(records, app, 'ready', attempts.at(-1))
    }
    const active = async () => await records.deployments.readLive(`${app.metadata.name}-active`)
    const kept = await records.client.list<KubeObject>(resourceTypes.deployment, {
      namespace: 'svc-system',
      labelSelector: `svc.dev/app=${app.metadata.name}`,
    })
    expect(kept.items.map((item) => item.metadata.name).sort()).to.deep.equal(attempts.slice(-12).sort())
    expect((await active())?.status?.phase).to.equal('Available')
    expect(await stepsOf(records, attempts.at(-1) ?? '')).to.include('Succeeded')
    await edit(records, app, (spec) => ({
      replicas: 1,
      source: { image: { ...spec.source.image, image: 'svc/hello:crash' } },
    }))
    const failing = await until(records.apps, app, (seen) => seen?.status?.lastAttempt?.phase === 'Failed', 'failed')
    const after = await records.client.list<KubeObject>(resourceTypes.deployment, {
      namespace: 'svc-system',
      labelSelector: `svc.dev/app=${app.metadata.name}`,
    })
    expect(after.items.map((item) => item.metadata.name).sort()).to.deep.equal(
      [...attempts.slice(-11), attemptIn(failing)].sort(),
    )
  })

  it('keeps the newest twelve alone once one of them runs, however many superseded each other before', async function () {
    this.timeout(120_000)
    const app = await createApp(records, project, { replicas: 0 })
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    await withoutWorker()
    const attempts: string[] = []
    try {
      for (let round = 0; round < 13; round += 1) attempts.push(attemptIn(await deploy(records, app)))
    } finally {
      await useWorker()
    }
    await untilState(records, app, 'ready', attempts.at(-1))
    const newest = attempts.slice(-12).sort()
    await eventually('the older ones are gone', async () => {
      const labelSelector = `${labels.app}=${app.metadata.name}`
      const kept = await records.client.list<KubeObject>(resourceTypes.deployment, {
        namespace: systemNamespace,
        labelSelector,
      })
      return isDeepStrictEqual(kept.items.map((item) => item.metadata.name).sort(), newest)
    })
  })
})
