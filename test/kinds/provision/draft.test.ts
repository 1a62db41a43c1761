/** The specs of a database or a bucket: found once for each version of its record. */
import { expect } from 'chai'
import { databaseDraft, databaseRules, databaseState, effectiveDatabaseSpec } from '../../../kinds/databases/draft.ts'
import { type Database, databaseSpec } from '../../../kinds/databases/kind.ts'
import { annotations } from '../../../kinds/meta/annotations.ts'
import { apiVersion } from '../../../kinds/meta/group.ts'
import { effectiveStoreSpec, storeDraft, storeRules, storeState } from '../../../kinds/object-stores/draft.ts'
import { type ObjectStore, objectStoreSpec } from '../../../kinds/object-stores/kind.ts'
import { type Deployable, type DraftModel, withEdit } from '../../../kinds/provision/draft.ts'
import { provisionPlan } from '../../../kinds/provision/plan.ts'

const place = { project: 'proj-00000001', environment: 'production', deploy: { enabled: true } }
const notesOf = (deployed: object) => ({
  [annotations.pendingChanges]: 'settings',
  [annotations.lastDeployed]: JSON.stringify(deployed),
})
const size = databaseSpec.parse({ ...place, engine: 'postgres' })
const database: Database = {
  apiVersion,
  kind: 'SvcDatabase',
  metadata: { name: 'orders', uid: 'u1', annotations: notesOf(size) },
  spec: { ...size, version: '15' },
}
const bucket = objectStoreSpec.parse({ ...place, engine: 'Local' })
const store: ObjectStore = {
  apiVersion,
  kind: 'SvcObjectStore',
  metadata: { name: 'files', uid: 'u2', annotations: notesOf(bucket) },
  spec: { ...bucket, buckets: ['a'] },
}

/** How often the last deployed spec is parsed meanwhile. */
function parsesIn<Spec extends Deployable>({ schema }: DraftModel<Spec>, rules: () => void): number {
  const { safeParse } = schema
  let count = 0
  schema.safeParse = (...given) => {
    count += 1
    return safeParse(...given)
  }
  try {
    rules()
  } finally {
    schema.safeParse = safeParse
  }
  return count
}

describe('the specs of a record', () => {
  it('of a database are parsed once, however many rules ask for them', () => {
    const parses = parsesIn(databaseDraft, () => {
      for (const _ of [1, 2]) {
        databaseState(database)
        provisionPlan(databaseRules, 'orders', database)
        databaseRules.unreadable?.(database)
        expect(effectiveDatabaseSpec(database)).to.deep.equal(size)
      }
    })
    expect(parses).to.equal(1)
  })

  it('of a bucket are parsed once, however many rules ask for them', () => {
    const parses = parsesIn(storeDraft, () => {
      for (const _ of [1, 2]) {
        storeState(store)
        provisionPlan(storeRules, 'files', store)
        storeRules.unreadable?.(store)
        expect(effectiveStoreSpec(store)).to.deep.equal(bucket)
      }
    })
    expect(parses).to.equal(1)
  })

  it('of its next version are its own', () => {
    const parses = parsesIn(databaseDraft, () => {
      const next = { ...size, version: '14' }
      const deployed = { ...database, metadata: { ...database.metadata, annotations: notesOf(next) } }
      expect(effectiveDatabaseSpec(deployed)?.version).to.equal('14')
      expect(effectiveDatabaseSpec(withEdit(databaseDraft, deployed, next))).to.deep.equal(next)
    })
    expect(parses).to.equal(1)
  })
})
