/** A volume is made by a pass that may have been cut off, on the real kube-apiserver. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { ActivityNeeds } from '../../../activities/context/needs.ts'
import { OwnershipConflict } from '../../../activities/kube/apply-child.ts'
import { applyStorage, holdsData } from '../../../activities/kube/apply-storage.ts'
import type { ClusterClient } from '../../../cluster/client.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { labels } from '../../../kinds/meta/annotations.ts'
import { eventually } from '../../cluster/eventually.ts'
import { useStack } from '../../harness/stack.ts'

type Claim = KubeObject & { status?: { phase?: string } }

describe('a volume that a worker applies', () => {
  const type = coreTypes.persistentVolumeClaim
  const uid = randomBytes(8).toString('hex')
  const record: KubeObject = { apiVersion: 'svc.svc.dev/v1', kind: 'SvcApp', metadata: { name: 'web', uid } }
  let client: ClusterClient
  let name: string

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
  })
  beforeEach(() => {
    name = `data-${randomBytes(4).toString('hex')}`
  })
  afterEach(() => client.delete(ref()))

  const ref = () => ({ type, namespace: 'default', name })
  const manifest = (owner = uid) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default', labels: { [labels.owner]: owner } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })
  const needs = () => ({ client, children: {} }) as unknown as ActivityNeeds // all that the function uses
  /** The pass as far as its record is found to be this one. */
  const apply = async (live: KubeObject | undefined) =>
    applyStorage(needs(), manifest(), await client.get(ref()), { record, store: { readLive: async () => live } })
  const inUse = async () => {
    const claim = await client.get<KubeObject>(ref())
    return claim === undefined ? undefined : holdsData(type, claim)
  }
  const late = async (live: KubeObject | undefined) =>
    apply(live).then(
      () => expect.fail('it was applied'),
      (error: unknown) => expect(String(error)).to.contain(`${name} was made while its record was removed`),
    )

  it('counts as one with data once its record was read after it was made', async () => {
    await apply(record)
    expect(await inUse()).to.equal(true)
  })

  it('counts as unused if its record is gone, has another one in its place, or is being removed', async () => {
    const { metadata } = record
    await late(undefined)
    expect(await inUse()).to.equal(false)
    await late({ ...record, metadata: { ...metadata, uid: 'of-another' } })
    await late({ ...record, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })
    expect(await inUse()).to.equal(false)
  })

  it('is used by a later pass where the first one died before it read the record', async () => {
    await late(undefined)
    await apply(record)
    expect(await inUse()).to.equal(true)
  })

  it('reads no record for a volume that is in use', async () => {
    await apply(record)
    // The cluster writes it, too, and a pass that meets such a write is made again.
    await eventually('the volume is bound', async () => (await client.get<Claim>(ref()))?.status?.phase === 'Bound')
    await applyStorage(needs(), manifest(), await client.get(ref()), {
      record,
      store: { readLive: () => Promise.reject(new Error('read')) },
    })
    expect(await inUse()).to.equal(true)
  })

  it('is never that of another owner', async () => {
    await client.create<KubeObject>(type, manifest('another'))
    const refused = await apply(record).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(OwnershipConflict)
  })
})
