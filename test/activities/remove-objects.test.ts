/** The objects of a service are removed by a worker whose cache has not received their namespace. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { removeObjectsIn } from '../../activities/apps/remove-objects.ts'
import type { ActivityNeeds } from '../../activities/context/needs.ts'
import { ResourceCache } from '../../cluster/cache/cache.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { type TestRecords, useRecords } from '../harness/records.ts'

describe('removing the objects of a service', () => {
  const namespace = 'default'
  let records: TestRecords

  before(async function () {
    this.timeout(60_000)
    records = await useRecords()
  })

  const behind = () => {
    const namespaces = new ResourceCache({ client: records.client, type: coreTypes.namespace, log: silentLog })
    // All that the activity uses.
    return { client: records.client, children: { namespaces } } as unknown as ActivityNeeds
  }
  async function make(owner: string): Promise<string> {
    const name = `unheard-${randomBytes(4).toString('hex')}`
    const metadata = { name, namespace, labels: { [labels.owner]: owner } }
    await records.client.create(coreTypes.service, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { ports: [{ port: 80 }] },
    })
    return name
  }
  const isThere = async (name: string) =>
    (await records.client.get({ type: coreTypes.service, namespace, name })) !== undefined

  it('asks the cluster before a namespace is said not to be there', async () => {
    const [owner, other] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')]
    const [own, foreign] = [await make(owner), await make(other)]
    await removeObjectsIn(behind(), namespace, owner)
    expect([await isThere(own), await isThere(foreign)]).to.deep.equal([false, true])
    await removeObjectsIn(behind(), namespace, other)
    await removeObjectsIn(behind(), 'nowhere', owner)
  })
})
