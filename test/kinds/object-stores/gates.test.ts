/**
 * What a bucket waits for or fails by before any object is made for it, as tables
 * (docs/reference/object-stores.md#ready-condition).
 */
import { expect } from 'chai'
import { bucketGate, bucketsInTheWay, serverGate } from '../../../kinds/object-stores/gates.ts'
import { type ObjectStore, objectStoreSpec } from '../../../kinds/object-stores/kind.ts'

const place = { project: 'proj-0a1b2c3d', environment: 'production' }
const bucket = objectStoreSpec.parse({ ...place, engine: 'Local', buckets: ['photos'] })
const store = (name: string, spec: object, status?: ObjectStore['status']): ObjectStore => ({
  apiVersion: 'svc.svc.dev/v1alpha1',
  kind: 'SvcObjectStore',
  metadata: { name, namespace: 'svc-system' },
  spec: objectStoreSpec.parse({ engine: 'Local', ...spec }),
  ...(status === undefined ? {} : { status }),
})
const readiness = (status: 'True' | 'False') => ({
  conditions: [{ type: 'Ready', status, reason: 'Any', message: '', lastTransitionTime: '' }],
})

describe('The gate of a bucket', () => {
  const illegal = (name: string) =>
    [
      { ...bucket, buckets: [name] },
      { outcome: 'failing', message: `illegal bucket name ${name}` },
    ] as const
  for (const [what, spec, gate] of [
    ['lets a legal name through', bucket, undefined],
    [
      'waits for a name',
      { ...bucket, buckets: [] },
      { outcome: 'waiting', message: 'Configure the bucket name in settings, then deploy' },
    ],
    ['fails a name in capitals', ...illegal('Photos')],
    ['fails a name that is too short', ...illegal('ab')],
    ['fails a name of more than 63 characters', ...illegal('b'.repeat(64))],
    ['fails a name that looks like an address', ...illegal('10.0.0.1')],
    ['fails a name with two dots in a row', ...illegal('a..b')],
    [
      'fails one bad name among good ones',
      { ...bucket, buckets: ['photos', 'a_b'] },
      { outcome: 'failing', message: 'illegal bucket name a_b' },
    ],
    ['lets the longest name through that fits', { ...bucket, buckets: ['b'.repeat(38)] }, undefined],
    [
      'fails a name that is too long once it is prefixed',
      { ...bucket, buckets: ['b'.repeat(39)] },
      {
        outcome: 'failing',
        message: `bucket name too long: it is stored as proj-0a1b2c3d.production.${'b'.repeat(39)}, which must be at most 63 characters`,
      },
    ],
  ] as const) {
    it(what, () => {
      expect(bucketGate({ ...spec, buckets: [...spec.buckets] })).to.deep.equal(gate)
    })
  }
})

describe('The gate of the object server', () => {
  const setUp = { outcome: 'waiting', message: 'Set up the MinIO server in cluster settings first' }
  const ready = store('object-server', {}, readiness('True'))
  const tagged = store('object-server', { runOn: { tags: ['hipaa', 'ssd'] } }, readiness('True'))
  for (const [what, server, tags, gate] of [
    ['waits for a server', undefined, [], setUp],
    ['waits for one that was never ready', store('object-server', {}), [], setUp],
    ['waits for one that is not ready now', store('object-server', {}, readiness('False')), [], setUp],
    [
      'waits while the server is being deleted',
      { ...ready, metadata: { ...ready.metadata, deletionTimestamp: 'now' } },
      [],
      setUp,
    ],
    ['lets buckets through once it is ready', ready, [], undefined],
    ['lets a project through whose tags the server runs on', tagged, ['hipaa'], undefined],
    [
      'fails a project whose tag it does not run on',
      ready,
      ['hipaa'],
      {
        outcome: 'failing',
        message: 'the project requires the node tag hipaa, which the MinIO server does not run on',
      },
    ],
    [
      'goes by the tags that were read first, not by later ones',
      { ...tagged, status: { ...readiness('True'), runsOn: { tags: [] } } },
      ['hipaa', 'ssd'],
      {
        outcome: 'failing',
        message: 'the project requires the node tags hipaa, ssd, which the MinIO server does not run on',
      },
    ],
  ] as const) {
    it(what, () => {
      expect(serverGate(server as ObjectStore | undefined, tags)).to.deep.equal(gate)
    })
  }

  it('the deletion of the server is held by the buckets on it, which are named, and by nothing else', () => {
    const remote = store('far', { ...place, engine: 'Remote' })
    const many = ['f', 'e', 'd', 'c', 'b', 'a'].map((name) => store(name, place))
    expect(bucketsInTheWay([ready, remote])).to.equal('')
    expect(bucketsInTheWay([ready, remote, store('calm-otter', place)])).to.equal(
      'delete the buckets on the object server first: calm-otter',
    )
    expect(bucketsInTheWay(many)).to.equal('delete the buckets on the object server first: a, b, c, d, e and more')
  })
})
