/** Who asked for what takes effect without a deploy, as the run that follows says it; no cluster is started. */
import { expect } from 'chai'
import { databaseRules } from '../../kinds/databases/draft.ts'
import { type Database, databaseSpec } from '../../kinds/databases/kind.ts'
import { type App, appSpec } from '../../kinds/apps/kind.ts'
import { planNow, viewOf } from '../../kinds/apps/view.ts'
import { logicalDatabaseRules } from '../../kinds/logical-databases/rules.ts'
import { type LogicalDatabase, logicalDatabaseSpec } from '../../kinds/logical-databases/kind.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes, type ResourceTypeName } from '../../kinds/meta/resource-types.ts'
import type { Resource } from '../../kinds/meta/resource.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { storeRules } from '../../kinds/object-stores/draft.ts'
import { type ObjectStore, objectStoreSpec } from '../../kinds/object-stores/kind.ts'
import { planOfProject } from '../../kinds/projects/intent.ts'
import { type Project, projectSpec } from '../../kinds/projects/kind.ts'
import { withRequest } from '../../kinds/provision/draft.ts'
import { provisionPlan } from '../../kinds/provision/plan.ts'
import { editSpec } from '../../records/apps/edit-app.ts'
import { retryProvision } from '../../records/apps/retry-provision.ts'
import { saveDatabaseSettings } from '../../records/databases/save-settings.ts'
import { saveBackupSettings } from '../../records/logical-databases/save-backup-settings.ts'
import type { StoreNeeds } from '../../records/object-stores/needs.ts'
import { saveStoreSettings } from '../../records/object-stores/save-settings.ts'
import { saveNetwork } from '../../records/projects/network.ts'
import { closePullRequest } from '../../records/projects/pull-request-environments.ts'
import { deployRecord, mintDeployRequest, retryRecord } from '../../records/store/edit-record.ts'
import type { RecordStore } from '../../records/store/record-store.ts'

type Held = KubeObject & Resource<object, unknown>

const place = { project: 'proj-0a0a0a0a', environment: 'production' }
const request = (actor: string) => mintDeployRequest({ actor, requestId: 'r' }, new Date())

/** One record as the cluster keeps it: each write of another spec makes a new generation. */
function holding<T extends Held>(first: T) {
  const held = { record: first }
  const edit = async (_: string, change: (current: T) => T | undefined): Promise<T> => {
    const { record } = held
    const { generation = 1 } = record.metadata
    const wanted = change(record)
    if (wanted === undefined) return record
    const changed = canonical(wanted.spec) !== canonical(record.spec)
    held.record = { ...wanted, metadata: { ...wanted.metadata, generation: generation + (changed ? 1 : 0) } }
    return held.record
  }
  const read = async () => held.record
  const store = { cache: { get: () => held.record }, read, readLive: read, edit } as unknown as RecordStore<T>
  return { held, store, byKubectl: (spec: object) => edit('', (current) => ({ ...current, spec })) }
}

const make = (kind: ResourceTypeName, spec: object): Held => ({
  apiVersion,
  kind: resourceTypes[kind].kind,
  metadata: { name: 'one', namespace: systemNamespace, uid: 'u1', generation: 1 },
  spec,
})
const failed = { conditions: [{ type: 'Ready', status: 'False', reason: 'ProvisionFailed', message: '' }] }

describe('the run of a change that takes effect at once', () => {
  const deployed = (): Database =>
    withRequest(make('database', databaseSpec.parse({ ...place, engine: 'redis' })) as Database, request('ada'))
  const actorOf = (database: Database) => provisionPlan(databaseRules, 'one', database).actor
  const needsOf = (store: RecordStore<Database>) => ({
    databases: store,
    expandable: () => true,
    projects: holding(
      make('project', projectSpec.parse({ displayName: 'one', environments: ['production'] })) as Project,
    ).store,
  })

  it('of a database says who changed the live setting, not who deployed it', async () => {
    const { held, store } = holding(deployed())
    expect(actorOf(held.record)).to.equal('ada')
    await saveDatabaseSettings(needsOf(store), 'one', { backups: true }, undefined, 'bob')
    expect(actorOf(held.record)).to.equal('bob')
  })

  it('of a database still says who deployed it after an edit that waits for a deploy', async () => {
    const { held, store } = holding(deployed())
    await saveDatabaseSettings(needsOf(store), 'one', { runOnTags: ['fast'] }, undefined, 'bob')
    expect(actorOf(held.record)).to.equal('ada')
  })

  it('of a retry says who retried, until the next deploy or edit by kubectl', async () => {
    for (const then of ['deploy', 'kubectl'] as const) {
      const first = deployed()
      const { intent } = provisionPlan(databaseRules, 'one', first)
      const { held, store, byKubectl } = holding({
        ...first,
        status: { ...failed, observedIntent: intent },
      } as Database)
      const isFailed = () => ({ state: 'failed', message: '' }) as const
      await retryRecord<Database>(store, 'database', 'one', isFailed, 'bob')
      expect(provisionPlan(databaseRules, 'one', held.record)).to.include({
        actor: 'bob',
        operation: 'retry-provision',
      })
      if (then === 'deploy') await deployRecord(store, 'database', 'one', request('carol'), () => undefined)
      else await byKubectl({ ...held.record.spec, version: '8' })
      expect(actorOf(held.record), then).to.equal(then === 'deploy' ? 'carol' : 'ada')
    }
  })

  it('of a logical database and of the object server say who changed the setting', async () => {
    const logical = { ...place, serverRef: 'shared-postgres', databaseName: 'one' }
    const database = holding(make('logicalDatabase', logicalDatabaseSpec.parse(logical)) as LogicalDatabase)
    const saved = { logicalDatabases: database.store }
    await saveBackupSettings(saved, 'one', { backups: true }, undefined, 'bob')
    expect(provisionPlan(logicalDatabaseRules, 'one', database.held.record).actor).to.equal('bob')
    const server = objectStoreSpec.parse({ project: '', environment: '', engine: 'Local', placement: 'InCluster' })
    const store = holding(make('objectStore', server) as ObjectStore)
    const needs = { objectStores: store.store } as unknown as StoreNeeds
    await saveStoreSettings(needs, 'one', { runOnTags: ['fast'] }, undefined, 'bob')
    expect(provisionPlan(storeRules, 'one', store.held.record).actor).to.equal('bob')
  })

  it('of a project says who changed its network, and who closed the environment of a pull request', async () => {
    const at = '2026-01-01T00:00:00Z'
    const pull = { repository: 'acme/shop', number: 7 }
    const project = () =>
      holding(
        make(
          'project',
          projectSpec.parse({
            displayName: 'one',
            environments: ['production', 'pr-7'],
            pullRequests: [{ ...pull, environment: 'pr-7', base: 'production', commit: 'a'.repeat(40), activeAt: at }],
          }),
        ) as Project,
      )
    const reconciled = ({ held }: ReturnType<typeof project>) => {
      const { intent } = planOfProject(held.record)
      held.record = { ...held.record, status: { observedIntent: intent, acceptedIntent: intent } }
    }
    const network = project()
    reconciled(network)
    const wanted = { isolation: 'project', allowFromProjects: [] } as unknown as Project['spec']['network']
    await saveNetwork({ projects: network.store }, 'one', wanted, undefined, 'bob')
    expect(planOfProject(network.held.record)).to.include({ story: 'settle', actor: 'bob' })
    const closed = project()
    reconciled(closed)
    await closePullRequest({ projects: closed.store }, { project: 'one', ...pull }, undefined, 'bob')
    expect(planOfProject(closed.held.record)).to.include({ story: 'settle', actor: 'bob' })
  })
})

describe('the run of a service', () => {
  const attempt = { record: 'one-aaaaa', operation: 'deploy', actor: 'ada', requestId: 'r', title: 't' }
  const running = (phase: 'Running' | 'Succeeded' | 'Failed', isNew = false): App => {
    const spec = appSpec.parse({ ...place, source: { image: { image: 'a:1' } }, deploy: { enabled: true } })
    const bare = withAttempt(make('app', spec) as App)
    const { intent } = viewOf(bare)
    const observed = isNew ? {} : { observedIntent: intent, acceptedIntent: intent }
    return { ...bare, status: { ...failed, ...observed, lastAttempt: { id: 'one-aaaaa', phase } } } as App
  }
  const withAttempt = (app: App): App => {
    const notes = {
      'svc.dev/attempt': JSON.stringify({ ...attempt, at: '2026-01-01T00:00:00Z' }),
      'svc.dev/last-deployed': JSON.stringify(app.spec),
    }
    return { ...app, metadata: { ...app.metadata, annotations: notes } }
  }
  const scaled = ({ spec }: App) => ({ ...spec, replicas: 3 })

  it('says who scaled it, not who deployed it', async () => {
    const { held, store } = holding(running('Succeeded'))
    await editSpec({ apps: store }, 'one', scaled, undefined, 'bob')
    expect(planNow('one', held.record)).to.include({ story: 'reconcile', actor: 'bob' })
  })

  it('that is being deployed says who deploys it, also if another one scales it meanwhile', async () => {
    const { held, store } = holding(running('Running', true))
    await editSpec({ apps: store }, 'one', scaled, undefined, 'bob')
    expect(planNow('one', held.record)).to.include({ story: 'deploy', actor: 'ada' })
  })

  it('that is retried says who retried it', async () => {
    const { held, store } = holding(running('Failed'))
    await retryProvision({ apps: store }, 'one', 'bob')
    expect(planNow('one', held.record)).to.include({ story: 'deploy', actor: 'bob' })
  })
})
