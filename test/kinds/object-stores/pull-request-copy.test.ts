/** What of a bucket is copied into the environment of a pull request, and how it comes back to an empty cluster. */
import { expect } from 'chai'
import { copyOfStore } from '../../../kinds/object-stores/pull-request-copy.ts'
import { type ObjectStore, type ObjectStoreSpec, objectStoreSpec } from '../../../kinds/object-stores/kind.ts'
import { storeBeginningWith } from '../../../kinds/object-stores/restored.ts'
import { annotations } from '../../../kinds/meta/annotations.ts'

const spec: ObjectStoreSpec = {
  ...objectStoreSpec.parse({
    project: 'proj-0a1b2c3d',
    environment: 'production',
    engine: 'Local',
    buckets: ['media'],
  }),
  deploy: { enabled: true },
}
const storeOf = (more: Partial<ObjectStoreSpec>, notes: Record<string, string> = {}): ObjectStore => ({
  apiVersion: 'svc.svc.dev/v1alpha1',
  kind: 'SvcObjectStore',
  metadata: { name: 'media', namespace: 'svc-system', annotations: notes },
  spec: { ...spec, ...more },
})

describe('the copy of a bucket for a pull request', () => {
  const draft = { ...spec, environment: 'pr-7', deploy: { enabled: false } }

  it('is empty, a draft, and the same where nothing is said of backups', () => {
    expect(copyOfStore(storeOf({}), 'pr-7')).to.deep.equal(draft)
  })

  it('has no backups, and does not begin with the backup that its base began with', () => {
    const base = storeOf({ backups: { enabled: true, retentionDays: 3 }, restoreFrom: { archive: 'old' } })
    expect(copyOfStore(base, 'pr-7')).to.deep.equal({ ...draft, backups: { enabled: false, retentionDays: 3 } })
  })
})

describe('a bucket that a restore of the platform brings back', () => {
  const deployed = (store: ObjectStore): ObjectStoreSpec =>
    JSON.parse(store.metadata.annotations?.[annotations.lastDeployed] ?? '{}') as ObjectStoreSpec

  it('begins with the given backup, as saved and as deployed, in the place of the one before', () => {
    const former = storeOf({ restoreFrom: { archive: 'old' } }).spec
    const notes = { [annotations.lastDeployed]: JSON.stringify(former) }
    const back = storeBeginningWith(storeOf({ restoreFrom: { archive: 'old' } }, notes), { archive: 'new' })
    for (const each of [back.spec, deployed(back)]) expect(each.restoreFrom).to.deep.equal({ archive: 'new' })
  })

  it('begins empty without one', () => {
    const back = storeBeginningWith(storeOf({ restoreFrom: { archive: 'old' } }), undefined)
    expect(back.spec).to.deep.equal(spec)
  })
})
