/** A worker accepts few deploys whose copies no controller has made yet. */
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { createApp, deploy, until } from '../harness/records.ts'
import { openWorld } from './service-world.ts'

const atOnce = 8
/** Most of the three seconds after which a deploy counts no longer; acceptance is written a moment after its turn. */
const waitMs = 2_000

describe('deploys without copies', function () {
  this.timeout(60_000)

  it('are accepted eight at once, and the next one once they count no longer', async () => {
    const { records, project } = await openWorld()
    const services = Array.from({ length: atOnce + 1 }, () => createApp(records, project))
    const apps = await Promise.all(services)
    const [namespace = ''] = apps.map(({ spec }) => targetNamespace(spec))
    await records.client.create(coreTypes.resourceQuota, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'no-copies', namespace: namespace },
      spec: { hard: { pods: '0' } },
    })
    const beginning = async (app: App): Promise<number> => {
      const startedAt = (record?: App) => record?.status?.lastAttempt?.startedAt
      const begun = await until(records.apps, app, (record) => startedAt(record) !== undefined, 'accepted')
      return Date.parse(startedAt(begun) ?? '')
    }
    const begun = Promise.all(apps.map(beginning))
    for (const app of apps) await deploy(records, app)
    const times = await begun
    expect(Math.max(...times) - Math.min(...times)).to.be.at.least(waitMs)
  })
})
