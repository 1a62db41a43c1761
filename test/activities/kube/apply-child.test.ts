/** An object of a service is applied by a worker whose watch is behind its own writes, on the real kube-apiserver. */
import { randomBytes } from 'node:crypto'
import type { V1Service } from '@kubernetes/client-node'
import { expect } from 'chai'
import { applyChild, OwnershipConflict } from '../../../activities/kube/apply-child.ts'
import type { ActivityNeeds } from '../../../activities/context/needs.ts'
import { ResourceCache } from '../../../cluster/cache/cache.ts'
import type { ClusterClient } from '../../../cluster/client.ts'
import { isConflict } from '../../../cluster/objects/errors.ts'
import { silentLog } from '../../../cluster/objects/log.ts'
import type { KubeObject, Sent } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { labels } from '../../../kinds/meta/annotations.ts'
import { useStack } from '../../harness/stack.ts'

describe('an object that a worker applies', () => {
  const where = { type: coreTypes.service, namespace: 'default', name: `web-${randomBytes(4).toString('hex')}` }
  const owner = randomBytes(8).toString('hex')
  let client: ClusterClient

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
  })
  after(() => client.delete(where))

  const manifest = (port: number) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: where.name, namespace: where.namespace, labels: { [labels.owner]: owner } },
    spec: { ports: [{ port }] },
  })
  /** A worker whose cache has no watch, and so knows what it is given. */
  const workerWith = (services: ResourceCache<KubeObject>) =>
    ({ client, children: { services } }) as unknown as ActivityNeeds // all that the function uses
  const emptyCache = () => new ResourceCache<KubeObject>({ client, type: coreTypes.service, log: silentLog })
  const portNow = async () => (await client.get<Sent<V1Service>>(where))?.spec?.ports?.[0]?.port

  it('is what the last pass wanted, also where that is what the pass before the last one had applied', async () => {
    const services = emptyCache()
    const needs = workerWith(services)
    services.put(await applyChild(needs, manifest(80), owner))
    for (const port of [81, 80]) await applyChild(needs, manifest(port), owner)
    expect(await portNow()).to.equal(80)
  })

  it('is so too where another worker had applied something else, which the cache does not know', async () => {
    const services = emptyCache()
    services.put(await applyChild(workerWith(emptyCache()), manifest(80), owner))
    await applyChild(workerWith(emptyCache()), manifest(81), owner)
    await applyChild(workerWith(services), manifest(80), owner, { trustsCache: false })
    expect(await portNow()).to.equal(80)
  })

  describe('of an owner of which nothing was ever applied', () => {
    const isNew = { isNew: true }
    const made = (labelled: string, port = 80) => ({
      ...manifest(port),
      metadata: { ...manifest(port).metadata, name: `new-${where.name}`, labels: { [labels.owner]: labelled } },
    })
    const ref = { ...where, name: made(owner).metadata.name }
    const readNothing = () => {
      const worker = workerWith(emptyCache())
      return { ...worker, client: { ...client, get: () => Promise.reject(new Error('read')) } } as ActivityNeeds
    }
    afterEach(() => client.delete(ref))

    it('is made without a read', async () => {
      await applyChild(readNothing(), made(owner), owner, isNew)
      expect((await client.get(ref))?.metadata.labels?.[labels.owner]).to.equal(owner)
    })

    it('loses what a later apply leaves out', async () => {
      const withSelector = { ...made(owner), spec: { ports: [{ port: 80 }], selector: { app: 'web' } } }
      await applyChild(workerWith(emptyCache()), withSelector, owner, isNew)
      await applyChild(workerWith(emptyCache()), made(owner), owner)
      expect((await client.get<Sent<V1Service>>(ref))?.spec?.selector).to.equal(undefined)
    })

    for (const [title, name, refused] of [
      ['is refused where it is of another owner', 'other', (error: unknown) => error instanceof OwnershipConflict],
      ['meets a conflict where it is its own after all', owner, isConflict],
    ] as const)
      it(title, async () => {
        const before = await client.create<KubeObject>(where.type, made(name, 81))
        const asked = applyChild(workerWith(emptyCache()), made(owner), owner, isNew)
        const error = await asked.catch((thrown: unknown) => thrown)
        expect(error).to.satisfy(refused)
        expect((await client.get(ref))?.metadata.resourceVersion).to.equal(before.metadata.resourceVersion)
      })
  })
})
