/** The state of a provisioned kind, as a table of records; without a cluster. */
import { expect } from 'chai'
import { annotations } from '../../../kinds/meta/annotations.ts'
import { effectiveDatabaseSpec, databaseState, databaseDraft } from '../../../kinds/databases/draft.ts'
import { type Database, databaseSpec, type DatabaseStatus } from '../../../kinds/databases/kind.ts'
import { deployRequestOf } from '../../../kinds/provision/deploy-request.ts'
import { pendingChangesOf, withEdit, withoutPending, withRequest } from '../../../kinds/provision/draft.ts'
import { logicalDatabaseState } from '../../../kinds/logical-databases/rules.ts'
import { logicalDatabaseSpec } from '../../../kinds/logical-databases/kind.ts'
import { effectiveStoreSpec, storeState } from '../../../kinds/object-stores/draft.ts'
import { type ObjectStore, objectStoreSpec } from '../../../kinds/object-stores/kind.ts'
import { provisionIntent } from '../../../kinds/provision/state.ts'

const place = { project: 'proj-0a1b2c3d', environment: 'production' }
const request = { id: 'a', actor: 'admin', requestId: 'r', at: '2026-11-21T13:00:00Z' }

const draft: Database = {
  apiVersion: 'svc.svc.dev/v1alpha1',
  kind: 'SvcDatabase',
  metadata: { name: 'calm-otter', uid: 'u1', annotations: { [annotations.pendingChanges]: 'created' } },
  spec: databaseSpec.parse({ ...place, version: '16' }),
}
const deployed = withRequest<Database['spec'], Database>(draft, request)
const ready = (status: 'True' | 'False', reason: string, message = '') => ({
  type: 'Ready',
  status,
  reason,
  message,
  lastTransitionTime: request.at,
})
const withStatus = (status: DatabaseStatus, database = deployed): Database => ({ ...database, status })
const intent = provisionIntent(deployed, effectiveDatabaseSpec(deployed))
const removal = provisionIntent(
  { ...deployed, metadata: { ...deployed.metadata, deletionTimestamp: request.at } },
  undefined,
)
const withNote = (database: Database, name: string, text: string): Database => ({
  ...database,
  metadata: { ...database.metadata, annotations: { ...database.metadata.annotations, [name]: text } },
})

describe('the state of a database', () => {
  const rows: [string, Database, string, string][] = [
    ['never deployed', draft, 'draft', ''],
    ['deployed, not accepted yet', deployed, 'pending', 'waiting for provisioning'],
    [
      'accepted, not done',
      withStatus({ acceptedIntent: intent, conditions: [ready('False', 'ReconcileError', 'waiting for the volume')] }),
      'pending',
      'waiting for the volume',
    ],
    [
      'done',
      withStatus({ acceptedIntent: intent, observedIntent: intent, conditions: [ready('True', 'Ready')] }),
      'ready',
      '',
    ],
    [
      'ready from before the last deploy',
      withStatus({ observedIntent: 'older', conditions: [ready('True', 'Ready')] }),
      'pending',
      'waiting for provisioning',
    ],
    [
      'failed',
      withStatus({ observedIntent: intent, conditions: [ready('False', 'ProvisionFailed', 'no volume')] }),
      'failed',
      'no volume',
    ],
    [
      'failed, then retried',
      withNote(
        withStatus({ observedIntent: intent, conditions: [ready('False', 'ProvisionFailed', 'no volume')] }),
        annotations.retry,
        'x',
      ),
      'pending',
      'waiting for provisioning',
    ],
    [
      'not ready after it was done',
      withStatus({ observedIntent: intent, conditions: [ready('False', 'ReconcileError', 'restarting')] }),
      'pending',
      'restarting',
    ],
    [
      'being deleted',
      { ...deployed, metadata: { ...deployed.metadata, deletionTimestamp: request.at } },
      'deleting',
      '',
    ],
    [
      'being deleted, as accepted by a pass',
      {
        ...deployed,
        metadata: { ...deployed.metadata, deletionTimestamp: request.at },
        status: {
          acceptedIntent: removal,
          conditions: [ready('False', 'ReconcileError', 'waiting for the server to stop')],
        },
      },
      'deleting',
      'waiting for the server to stop',
    ],
    [
      'being deleted, with a message from before',
      {
        ...deployed,
        metadata: { ...deployed.metadata, deletionTimestamp: request.at },
        status: { acceptedIntent: intent, conditions: [ready('False', 'ReconcileError', 'waiting for the volume')] },
      },
      'deleting',
      '',
    ],
    [
      'a draft being deleted',
      { ...draft, metadata: { ...draft.metadata, deletionTimestamp: request.at } },
      'deleting',
      '',
    ],
  ]
  for (const [title, database, state, message] of rows) {
    it(`${title}: ${state}`, () => expect(databaseState(database)).to.deep.equal({ state, message }))
  }
})

describe('what of a database is deployed', () => {
  const edit = (database: Database, change: Partial<Database['spec']>): Database =>
    withEdit(databaseDraft, database, { ...database.spec, ...change })

  it('a draft stays created whatever is edited', () => {
    const edited = edit(draft, { version: '17' })
    expect(pendingChangesOf(edited)).to.deep.equal(['created'])
    expect(effectiveDatabaseSpec(edited)).to.equal(undefined)
    expect(edited.metadata.annotations).not.to.have.property(annotations.lastDeployed)
  })

  it('a deploy clears the pending changes, keeps who asked, and makes the saved spec the effective one', () => {
    expect(pendingChangesOf(deployed)).to.deep.equal([])
    expect(deployRequestOf(deployed)).to.deep.equal(request)
    expect(effectiveDatabaseSpec(deployed)).to.deep.equal({ ...draft.spec, deploy: { enabled: true } })
  })

  it('a discarded edit leaves what is deployed, and never deploys what was undeployed by kubectl', () => {
    const edited = edit(deployed, { version: '17' })
    expect(withoutPending(databaseDraft, edited, 'database')).to.deep.equal(deployed.spec)
    const undeployed = edit({ ...edited, spec: { ...edited.spec, deploy: { enabled: false } } }, { version: '18' })
    expect(withoutPending(databaseDraft, undeployed, 'database')).to.deep.equal({
      ...deployed.spec,
      deploy: { enabled: false },
    })
    expect(() => withoutPending(databaseDraft, draft, 'database')).to.throw('nothing was deployed yet')
  })

  it('an edit of a deployed one waits, and is none any more when it is taken back', () => {
    const edited = edit(deployed, { version: '17' })
    expect(pendingChangesOf(edited)).to.deep.equal(['settings'])
    expect(effectiveDatabaseSpec(edited)?.version).to.equal('16')
    expect(provisionIntent(edited, effectiveDatabaseSpec(edited))).to.equal(intent)
    expect(pendingChangesOf(edit(edited, { version: '16' }))).to.deep.equal([])
    const again = withRequest<Database['spec'], Database>(edited, { ...request, id: 'b' })
    expect(effectiveDatabaseSpec(again)?.version).to.equal('17')
  })

  it('backup settings are effective at once, beside an edit that waits', () => {
    const edited = edit(edit(deployed, { version: '17' }), { backups: { enabled: true, retentionDays: 3 } })
    expect(pendingChangesOf(edited)).to.deep.equal(['settings'])
    expect(effectiveDatabaseSpec(edited)).to.deep.include({
      version: '16',
      backups: { enabled: true, retentionDays: 3 },
    })
    expect(pendingChangesOf(edit(deployed, { backups: { enabled: true, retentionDays: 3 } }))).to.deep.equal([])
  })

  it('an edit with another tool is part of the effective spec that the next edit is compared with', () => {
    const outside = { ...deployed, spec: { ...deployed.spec, version: '17' } }
    const edited = edit(outside, { instances: 3 })
    expect(effectiveDatabaseSpec(edited)).to.deep.include({ version: '17', instances: 1 })
    expect(pendingChangesOf(edit(edited, { instances: 1 }))).to.deep.equal([])
  })

  it('nonsense in the annotations is no deploy request and no last deploy', () => {
    expect(deployRequestOf(withNote(deployed, annotations.attempt, '{'))).to.equal(undefined)
    expect(deployRequestOf(withNote(deployed, annotations.attempt, '{"id":1}'))).to.equal(undefined)
    const broken = withNote(edit(deployed, { version: '17' }), annotations.lastDeployed, '{')
    expect(effectiveDatabaseSpec(broken)?.version).to.equal('17')
  })
})

describe('the state of a bucket', () => {
  const store = (spec: object, notes: Record<string, string> = {}): ObjectStore => ({
    apiVersion: 'svc.svc.dev/v1alpha1',
    kind: 'SvcObjectStore',
    metadata: { name: 'calm-otter', uid: 'u1', annotations: notes },
    spec: objectStoreSpec.parse({ engine: 'Local', ...spec }),
  })
  const gate = { [annotations.deployWorkflow]: 'true' }

  it('is gated by its deploy only under the annotation of the deploy workflow', () => {
    expect(effectiveStoreSpec(store(place, gate))).to.equal(undefined)
    expect(effectiveStoreSpec(store(place))).not.to.equal(undefined)
    expect(effectiveStoreSpec(store({ ...place, deploy: { enabled: true } }, gate))).not.to.equal(undefined)
    expect(effectiveStoreSpec(store({}, gate)), 'the cluster server is never gated').not.to.equal(undefined)
  })

  it('is draft until it is deployed; the object server always is, with a message on its progress', () => {
    expect(storeState(store(place, gate))).to.deep.equal({ state: 'draft', message: '' })
    expect(storeState(store({ ...place, deploy: { enabled: true } }, gate))).to.deep.equal({
      state: 'pending',
      message: 'waiting for provisioning',
    })
    expect(storeState(store({}))).to.deep.equal({ state: 'draft', message: 'waiting for provisioning' })
  })
})

it('a logical database is pending from its creation on', () => {
  const spec = logicalDatabaseSpec.parse({ ...place, serverRef: 'calm-otter', databaseName: 'shop' })
  const record = {
    apiVersion: 'svc.svc.dev/v1alpha1',
    kind: 'SvcLogicalDatabase',
    metadata: { name: 'x', uid: 'u' },
    spec,
  }
  expect(logicalDatabaseState(record)).to.deep.equal({ state: 'pending', message: 'waiting for provisioning' })
})
