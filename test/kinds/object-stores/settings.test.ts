/** The permitted changes of a store's settings, by its shape, as a table (docs/reference/object-stores.md#fields). */
import { expect } from 'chai'
import { objectStoreSpec, type ObjectStoreSpec } from '../../../kinds/object-stores/kind.ts'
import { type StoreSettings, withStoreSettings } from '../../../kinds/object-stores/settings.ts'

const place = { project: 'proj-0a1b2c3d', environment: 'production' }
const server = objectStoreSpec.parse({ engine: 'Local' })
const local = objectStoreSpec.parse({ ...place, engine: 'Local' })
const remote = objectStoreSpec.parse({ ...place, engine: 'Remote', connectionRef: { name: 'aws' } })
const external = objectStoreSpec.parse({
  ...place,
  engine: 'Local',
  placement: 'External',
  connectionRef: { name: 'aws' },
})
/** 63 characters with the prefix `proj-0a1b2c3d.production.`. */
const longest = 'b'.repeat(38)

describe('settings of a store', () => {
  const taken: [string, ObjectStoreSpec, StoreSettings, object][] = [
    ['a bucket', local, { bucket: 'photos' }, { buckets: ['photos'] }],
    ['no bucket any more', { ...local, buckets: ['photos'] }, { bucket: '' }, { buckets: [] }],
    ['the longest name that fits', local, { bucket: longest }, { buckets: [longest] }],
    ['a longer one in an account of its own', remote, { bucket: 'b'.repeat(63) }, { buckets: ['b'.repeat(63)] }],
    [
      'region, connection and createBucket of a remote one',
      remote,
      { region: 'eu-west-1', connectionRef: 'other', createBucket: true },
      { region: 'eu-west-1', connectionRef: { name: 'other' }, createBucket: true },
    ],
    ['the same of an external one', external, { region: 'eu-west-1' }, { region: 'eu-west-1' }],
    ['the region of the server', server, { region: 'eu' }, { serverRegion: 'eu' }],
    ['sizes of the server', server, { cpu: '1' }, { resources: { requests: { cpu: '1', memory: '512Mi' } } }],
    ['tags of the server', server, { runOnTags: ['ssd', 'ssd'] }, { runOn: { tags: ['ssd'] } }],
    ['texts left blank', remote, { connectionRef: '', cpu: '', memory: '', runOnTags: [] }, {}],
    ['an empty region where there is none', local, { region: '' }, {}],
    ['createBucket off where it never was on', local, { createBucket: false }, {}],
  ]
  for (const [title, before, settings, after] of taken) {
    it(`takes ${title}`, () => expect(withStoreSettings(before, settings)).to.deep.equal({ ...before, ...after }))
  }

  it('takes the region away again: that of the connection, and any of the server, counts then', () => {
    expect(withStoreSettings({ ...remote, region: 'eu-west-1' }, { region: '' })).to.deep.equal(remote)
    expect(withStoreSettings({ ...server, serverRegion: 'eu' }, { region: '' })).to.deep.equal(server)
  })

  const refused: [string, ObjectStoreSpec, StoreSettings, string][] = [
    [
      'a name that is too long with its prefix',
      local,
      { bucket: `${longest}b` },
      `the bucket is stored as proj-0a1b2c3d.production.${longest}b, which must be at most 63 characters`,
    ],
    ['a bucket of the server', server, { bucket: 'photos' }, 'bucket applies to buckets of a project only'],
    [
      'a region of a local bucket',
      local,
      { region: 'eu' },
      'region applies to remote stores and the object server of the cluster only',
    ],
    ['createBucket of a local bucket', local, { createBucket: true }, 'createBucket applies to remote stores only'],
    ['a connection of a local bucket', local, { connectionRef: 'aws' }, 'connectionRef applies to remote stores only'],
    ['a connection of the server', server, { connectionRef: 'aws' }, 'connectionRef applies to remote stores only'],
    ['cpu of a bucket', local, { cpu: '1' }, 'cpu applies to the object server of the cluster only'],
    ['memory of a remote bucket', remote, { memory: '1Gi' }, 'memory applies to the object server of the cluster only'],
    ['tags of a bucket', local, { runOnTags: ['ssd'] }, 'runOnTags applies to the object server of the cluster only'],
  ]
  for (const [title, before, settings, sentence] of refused) {
    it(`refuses ${title}: ${sentence}`, () => expect(() => withStoreSettings(before, settings)).to.throw(sentence))
  }
})
