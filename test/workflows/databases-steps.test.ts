/**
 * The steps of a database one by one, on the simulated cluster and without a worker: each runs twice, and the second
 * run changes nothing.
 */
import { expect } from 'chai'
import { createDatabaseActivities } from '../../activities/databases/activities.ts'
import { createEnvironmentAccess } from '../../activities/context/environment-access.ts'
import type { ActivityNeeds, CachedNamespace, CachedPod } from '../../activities/context/needs.ts'
import type { StepInput, StepResult } from '../../activities/provision/context.ts'
import { type CacheOptions, ResourceCache } from '../../cluster/cache/cache.ts'
import { createDiscovery } from '../../cluster/discovery.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { databaseRules } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { provisionPlan } from '../../kinds/provision/plan.ts'
import { eventually } from '../cluster/eventually.ts'
import type { TestRecords } from '../harness/records.ts'
import { useWorker, withoutWorker } from '../harness/worker.ts'
import { createDatabase, remove, untilGone } from './database-world.ts'
import { openWorld } from './service-world.ts'

const waitMs = 25_000
const kinds = [
  coreTypes.statefulSet,
  coreTypes.service,
  coreTypes.persistentVolumeClaim,
  coreTypes.secret,
  coreTypes.serviceAccount,
] as const

describe('the steps of a database', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project
  let steps: ReturnType<typeof createDatabaseActivities>
  const stops: (() => Promise<void>)[] = []

  before(async () => {
    ;({ records, project } = await openWorld())
    await withoutWorker()
    const { client } = records
    const started = async <T extends KubeObject>(
      options: Omit<CacheOptions<T>, 'client' | 'log'>,
    ): Promise<ResourceCache<T>> => {
      const cache = new ResourceCache<T>({ client, log: silentLog, ...options })
      await cache.start()
      stops.push(() => cache.stop())
      return cache
    }
    const owned = {
      labelSelector: `${labels.managedBy}=svc`,
      indexes: { owner: ({ metadata }: KubeObject) => [metadata.labels?.[labels.owner] ?? ''] },
    }
    steps = createDatabaseActivities({
      ...records,
      discovery: createDiscovery(client),
      access: createEnvironmentAccess(client, Date.now),
      children: {
        namespaces: await started<CachedNamespace>({ type: coreTypes.namespace }),
        pods: await started<CachedPod>({ type: coreTypes.pod, ...owned }),
        services: await started<KubeObject>({ type: coreTypes.service, ...owned }),
        serviceAccounts: await started<KubeObject>({ type: coreTypes.serviceAccount, ...owned }),
      },
      log: silentLog,
    } as unknown as ActivityNeeds) // all that these steps use
  })
  after(async () => {
    await Promise.all(stops.map((stop) => stop()))
    await useWorker()
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
  })

  const asked = async ({ metadata }: Database): Promise<StepInput> => {
    const { name, uid, intent } = provisionPlan(
      databaseRules,
      metadata.name,
      await records.databases.readLive(metadata.name),
    )
    return { name, uid, intent }
  }
  /** The resource versions of the record and of every object that was made for it. */
  const versions = async (database: Database): Promise<string[]> => {
    const query = {
      namespace: homeOf(database.spec),
      labelSelector: `${labels.owner}=${database.metadata.uid ?? ''}`,
      metadataOnly: true,
    }
    const made = await Promise.all(kinds.map(async (type) => (await records.client.list(type, query)).items))
    const record = await records.databases.readLive(database.metadata.name)
    return [...made.flat(), ...(record === undefined ? [] : [record])]
      .map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`)
      .sort()
  }
  /** The result of the step, which runs twice. */
  async function twice(step: (input: StepInput) => Promise<StepResult>, database: Database): Promise<string> {
    const input = await asked(database)
    const first = await step(input)
    const before = await versions(database)
    const second = await step(input)
    expect(await versions(database), 'after the second run').to.deep.equal(before)
    expect([second.outcome, second.message]).to.deep.equal([first.outcome, first.message])
    return `${first.outcome} ${first.message}`.trim()
  }

  for (const engine of ['postgres', 'mysql', 'redis', 'sqlite'] as const) {
    it(`of ${engine} change nothing when they run again`, async () => {
      const database = await createDatabase(records, project, { engine })
      expect(await twice(steps.takeUpDatabase, database)).to.equal('done')
      expect(await twice(steps.awaitDatabasePlace, database)).to.equal('done')
      expect(await twice(steps.checkDatabaseServer, database)).to.equal('done')
      expect(await twice(steps.makeDatabaseCredentials, database)).to.equal('done')
      await steps.applyDatabaseServer(await asked(database))
      await eventually(
        'its server is ready',
        async () => (await steps.awaitDatabaseServer(await asked(database))).outcome === 'done',
        waitMs,
      )
      expect(await twice(steps.applyDatabaseServer, database)).to.equal('done')
      expect(await twice(steps.awaitDatabaseServer, database)).to.equal('done')
      expect(await twice(steps.tellDatabaseConnection, database)).to.equal('done')
      expect(await twice(steps.finishDatabase, database)).to.equal('done Database connection is available')
      await remove(records, database)
      expect(await twice(steps.takeUpDatabase, database)).to.equal('done')
      expect(await twice(steps.awaitDatabaseTenants, database)).to.equal('done')
      await eventually(
        'nothing is left',
        async () => (await steps.removeDatabaseServer(await asked(database))).outcome === 'done',
        waitMs,
      )
      expect(await twice(steps.removeDatabaseServer, database)).to.equal('done')
      await steps.letDatabaseGo(await asked(database))
      await untilGone(records, database)
      expect(
        (
          await steps.removeDatabaseServer({
            name: database.metadata.name,
            uid: database.metadata.uid ?? '',
            intent: '',
          })
        ).outcome,
      ).to.equal('changed')
    })
  }
})
