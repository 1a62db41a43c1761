/**
 * Waits that outlast one history: every kind of run continues as new and carries over what the record does not hold.
 */
import { randomBytes } from 'node:crypto'
import type { WorkflowExecutionDescription } from '@temporalio/client'
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { workflowId } from '../../durable/ids.ts'
import type { ReconciledKind } from '../../kinds/meta/resource-types.ts'
import { policyWith } from '../../durable/policy.ts'
import { searchAttributes } from '../../durable/search-attributes.ts'
import { platformConfigName } from '../../kinds/platform/settings.ts'
import { projectState } from '../../kinds/projects/intent.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { saveDomain } from '../../records/settings/domain.ts'
import { sendWake } from '../../temporal/client/wakes.ts'
import { eventually } from '../cluster/eventually.ts'
import {
  createApp,
  createProject,
  deploy,
  wakeWith,
  type TestRecords,
  until,
  untilGone,
  untilState,
  useWakes,
} from '../harness/records.ts'
import { useClient } from '../harness/temporal-client.ts'
import { startTestWorker, testPolicy, type TestWorker, withoutWorker } from '../harness/worker.ts'
import {
  createLogical,
  type LogicalWorld,
  openLogicalWorld,
  remove,
  untilGone as untilLogicalGone,
} from './logical-world.ts'
import { liveDeployment } from './service-world.ts'

/** Few events and short intervals; the failures are counted across several runs. */
const policy = {
  ...testPolicy,
  historyEvents: 24,
  // A rest is a second at Temporal, and has six events.
  attemptMs: 14_000,
  recheckMs: 200,
  failedPasses: 12,
  failingMs: 600_000,
  domainPendingMs: 600_000,
}
const held = 'test.svc.dev/held'
const waitMs = 30_000

describe('a run whose history gets long', function () {
  this.timeout(90_000)
  let world: LogicalWorld
  let records: TestRecords
  let worker: TestWorker

  const start = async (change: object = {}) => {
    wakeWith({ ...policy, ...change })
    worker = await startTestWorker({ ...policy, ...change })
  }
  before(async () => {
    await withoutWorker()
    await start()
    world = await openLogicalWorld()
    records = world.records
  })
  after(async () => {
    await worker.stop('SIGKILL')
    wakeWith(testPolicy)
  })

  const newest = async (kind: ReconciledKind, name: string): Promise<WorkflowExecutionDescription> =>
    (await useClient()).workflow.getHandle(workflowId(kind, name)).describe()
  /**
   * How often the run continued as new, and that the longest run is not far over the limit. Temporal's list lags
   * behind.
   */
  const untilWentOn = (kind: ReconciledKind, name: string, times: number) =>
    eventually(
      `${kind} ${name} went on as a new run ${times} times`,
      async () => {
        let wentOn = 0
        for await (const run of (await useClient()).workflow.list({
          query: `WorkflowId = "${workflowId(kind, name)}"`,
        })) {
          // Wakes that arrive faster than passes are made accumulate between two passes.
          expect(run.historyLength).to.be.below(10 * policy.historyEvents)
          if (run.status.name === 'CONTINUED_AS_NEW') wentOn += 1
        }
        return wentOn >= times
      },
      waitMs,
    )
  const untilEnded = async (kind: ReconciledKind, name: string, status: string) => {
    await eventually(
      `the run of ${name} is ${status}`,
      async () => (await newest(kind, name)).status.name === status,
      waitMs,
    )
    return newest(kind, name)
  }
  /** Keeps an object from being removed: a finalizer that svc does not remove. */
  const hold = async (
    type: typeof coreTypes.namespace,
    place: { namespace?: string; name: string },
    finalizers: string[] | null,
  ) => {
    await records.client.patch({ type, ...place }, { metadata: { finalizers } })
  }
  /** Sends wakes one after the other during the work; the last one follows the work. */
  const whileWaking = async (kind: ReconciledKind, name: string, work: () => Promise<void>) => {
    const wakeSettings = { client: await useClient(), policy: policyWith(policy), searchable: true }
    let done = false
    const pump = async () => {
      for (let last = false; !last;) {
        last = done
        await sendWake(wakeSettings, kind, name, { reason: 'look' }, waitMs)
      }
    }
    const pumping = pump()
    await work().finally(() => (done = true))
    await pumping
  }
  const attributeOf = (run: WorkflowExecutionDescription, name: keyof typeof searchAttributes) =>
    run.typedSearchAttributes.get(searchAttributes[name])

  it('keeps the deadline of a deploy, and who asked for it', async () => {
    const app = await createApp(records, world.project, { image: 'does-not-exist:1' })
    await deploy(records, app)
    await untilWentOn('app', app.metadata.name, 2)
    const during = await newest('app', app.metadata.name)
    expect(attributeOf(during, 'actor')).to.equal('tester')
    expect(attributeOf(during, 'resource')).to.equal(app.metadata.name)
    expect(attributeOf(during, 'operation')).to.equal('deploy')
    const failed = await untilState(records, app, 'failed')
    const { startedAt = '', completedAt = '' } = failed.status?.lastAttempt ?? {}
    const took = Date.parse(completedAt) - Date.parse(startedAt)
    expect(took).to.be.within(policy.attemptMs - 1_000, policy.attemptMs + 7_000)
    const ended = await untilEnded('app', app.metadata.name, 'FAILED')
    expect(attributeOf(ended, 'actor')).to.equal('tester')
    expect(attributeOf(ended, 'phase')).to.equal('ProvisionFailed')
    expect((ended.raw.executionConfig?.defaultWorkflowTaskTimeout?.seconds ?? 0).toString()).to.equal(
      String(policy.workflowTaskMs / 1000),
    )
  })

  it('removes a service however long something holds it up', async () => {
    const app = await createApp(records, world.project)
    await deploy(records, app)
    await untilState(records, app, 'ready')
    const { metadata } = (await liveDeployment(records, app)) ?? { metadata: { name: '', namespace: '' } }
    const place = { namespace: metadata.namespace ?? '', name: metadata.name }
    await hold(coreTypes.deployment, place, [held])
    await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
    await untilWentOn('app', app.metadata.name, 2)
    expect(attributeOf(await newest('app', app.metadata.name), 'operation')).to.equal('remove')
    await hold(coreTypes.deployment, place, null)
    await untilGone(records, app)
    await untilEnded('app', app.metadata.name, 'COMPLETED')
  })

  it('removes a project however long a namespace of it stays', async () => {
    const project = await createProject(records)
    await until(records.projects, project, isReady, 'ready')
    const name = `${project.metadata.name}-production`
    await hold(coreTypes.namespace, { name }, [held])
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
    await untilWentOn('project', project.metadata.name, 2)
    expect(attributeOf(await newest('project', project.metadata.name), 'project')).to.equal(project.metadata.name)
    await hold(coreTypes.namespace, { name }, null)
    await until(records.projects, project, (record) => record === undefined, 'gone')
    await untilEnded('project', project.metadata.name, 'COMPLETED')
  })

  it('counts failed passes on', async () => {
    const project = `proj-${randomBytes(4).toString('hex')}`
    await records.client.create<KubeObject>(coreTypes.namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: `${project}-production` },
    })
    const { uid: _uid, resourceVersion: _version, ...metadata } = world.project.metadata
    const refused = await records.projects.create({ ...world.project, metadata: { ...metadata, name: project } })
    await until(
      records.projects,
      refused,
      (record) => record !== undefined && projectState(record).state === 'failed',
      'failed',
    )
    await untilWentOn('project', project, 1)
    await untilEnded('project', project, 'FAILED')
  })

  it('waits on for what something provisioned needs', async () => {
    const database = await createLogical(world, 'calm-nobody')
    await untilWentOn('logicalDatabase', database.metadata.name, 2)
    const during = await newest('logicalDatabase', database.metadata.name)
    expect(attributeOf(during, 'operation')).to.equal('kubectl') // the record was created past the api
    expect(attributeOf(during, 'project')).to.equal(world.project.metadata.name)
    await remove(world, database)
    await untilLogicalGone(world, database)
    const ended = await untilEnded('logicalDatabase', database.metadata.name, 'COMPLETED')
    expect(attributeOf(ended, 'phase')).to.equal('Removed')
  })

  it('verifies the domain on however many hints come', async () => {
    const needs = { client: records.client, keepConfig: () => undefined }
    const wakes = await useWakes()
    await saveDomain(needs, { rootDomain: 'continue-as-new.invalid' })
    wakes.wake('platform', platformConfigName, { reason: 'domain saved' })
    await whileWaking('platform', platformConfigName, () => untilWentOn('platform', platformConfigName, 1))
    await saveDomain(needs, { rootDomain: '' })
    wakes.wake('platform', platformConfigName, { reason: 'domain saved' })
    await untilEnded('platform', platformConfigName, 'COMPLETED')
  })

  it('loses no wake that comes while it continues as new', async () => {
    await worker.stop('SIGKILL')
    // A pass without a wake would come far too late for this test.
    await start({ recheckMs: 600_000, historyEvents: 20 })
    const app = await createApp(records, world.project)
    await deploy(records, app)
    await untilState(records, app, 'ready')
    await untilEnded('app', app.metadata.name, 'COMPLETED')
    const { metadata } = (await liveDeployment(records, app)) ?? { metadata: { name: '', namespace: '' } }
    const place = { namespace: metadata.namespace ?? '', name: metadata.name }
    await hold(coreTypes.deployment, place, [held])
    await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
    await whileWaking('app', app.metadata.name, async () => {
      await untilWentOn('app', app.metadata.name, 3)
      await hold(coreTypes.deployment, place, null)
      await eventually(
        'its Deployment is gone',
        async () => (await records.client.get({ type: coreTypes.deployment, ...place })) === undefined,
        waitMs,
      )
    })
    await untilGone(records, app)
  })
})

const isReady = (project: Project | undefined): boolean =>
  project !== undefined && projectState(project).state === 'ready'
