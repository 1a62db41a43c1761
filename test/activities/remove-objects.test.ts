/** The objects of a service are removed by a worker that is behind. */
import { randomBytes } from 'node:crypto'
import type { V1PersistentVolumeClaim } from '@kubernetes/client-node'
import { expect } from 'chai'
import { removeObjectsIn, removeVolumesIn } from '../../activities/apps/remove-objects.ts'
import type { ActivityNeeds } from '../../activities/context/needs.ts'
import { ResourceCache } from '../../cluster/cache/cache.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { eventually } from '../cluster/eventually.ts'
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
    const name = `unknown-${randomBytes(4).toString('hex')}`
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

  it('leaves the volume of a service that was made under its name while a slow worker looked', async function () {
    this.timeout(60_000)
    const name = `data-${randomBytes(4).toString('hex')}`
    const [former, uid] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')]
    const type = coreTypes.persistentVolumeClaim
    const makeClaim = (owner: string) =>
      records.client.create<V1PersistentVolumeClaim & KubeObject>(type, claim(name, owner))
    await makeClaim(former)
    const list: typeof records.client.list = async (...asked) => {
      const seen = await records.client.list<never>(...asked)
      // Another worker ends the deletion, and a service of the same name is deployed.
      await deleteClaim(name)
      await makeClaim(uid)
      return seen
    }
    const needs = { ...records, client: { ...records.client, list } } as unknown as ActivityNeeds
    const app = { kind: 'SvcApp', metadata: { name: 'web', namespace: systemNamespace, uid: former } } as App
    await removeVolumesIn(needs, namespace, app)
    const left = await records.client.get<KubeObject>({ type, namespace, name })
    expect([left?.metadata.labels?.[labels.owner], left?.metadata.deletionTimestamp]).to.deep.equal([uid, undefined])
    await deleteClaim(name)
  })

  /**
   * The controller manager takes its own finalizer off. The test does not: a patch that comes after it is answered with
   * 404, which the code under test reads as a kind that the cluster does not serve.
   */
  async function deleteClaim(name: string): Promise<void> {
    const ref = { type: coreTypes.persistentVolumeClaim, namespace, name }
    await records.client.delete(ref)
    await eventually('the claim is gone', async () => (await records.client.get(ref)) === undefined, 20_000)
  }

  const claim = (name: string, owner: string): V1PersistentVolumeClaim & KubeObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace, labels: { [labels.owner]: owner } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })
})
