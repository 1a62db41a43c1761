/** Deploys on real servers: the happy path, and the races between deploys, edits and workers. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { appState } from '../../kinds/apps/state.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { type TestRecords, createApp, deploy, until, untilGone, untilState, wakeWith } from '../harness/records.ts'
import { useClient } from '../harness/temporal-client.ts'
import { startTestWorker, testPolicy, useWorker, withoutWorker } from '../harness/worker.ts'
import { searchAttributes } from '../../durable/search-attributes.ts'
import { workflowId } from '../../durable/ids.ts'
import { attemptIn, edit, liveDeployment, openWorld, stepsOf, timersFired } from './service-world.ts'

describe('a deploy', function () {
  this.timeout(60_000)
  let records: TestRecords
  let project: Project

  before(async () => {
    ;({ records, project } = await openWorld())
  })

  it('ends ready, with the attempt, its record, its log, an Event and the active record in agreement', async () => {
    const app = await createApp(records, project, { configData: { GREETING: 'hello' } })
    const attempt = attemptIn(await deploy(records, app))
    const ready = await untilState(records, app, 'ready', attempt)
    expect(ready.status?.lastAttempt).to.include({ id: attempt, phase: 'Succeeded' })
    expect(ready.status?.release).to.equal(attempt)
    const active = await until(
      records.deployments,
      { metadata: { name: `${app.metadata.name}-active` } },
      (record) => record?.status?.phase === 'Available',
      'Available',
    )
    expect(active.spec).to.include({ image: 'svc/hello:1', trigger: 'Reconciliation' })
    expect((await records.deployments.readLive(attempt))?.status?.phase).to.equal('Recorded')
    expect(await stepsOf(records, attempt)).to.match(
      /accepted: A test deploys \(deploy by tester\)[^]*Succeeded: 1 of 1 copies ready/,
    )
  })

  it('is opened under its own attributes, and belongs to its project where the server is fair to projects', async () => {
    const app = await createApp(records, project)
    const attempt = attemptIn(await deploy(records, app))
    await untilState(records, app, 'ready', attempt)
    const { workflow } = await useClient()
    const { typedSearchAttributes, priority, historyLength } = await workflow
      .getHandle(workflowId('app', app.metadata.name))
      .describe()
    expect(priority?.fairnessKey).to.equal(project.metadata.name)
    expect(typedSearchAttributes.get(searchAttributes.attempt)).to.equal(attempt)
    expect(typedSearchAttributes.get(searchAttributes.actor)).to.equal('tester')
    expect(typedSearchAttributes.get(searchAttributes.phase), 'set by a run that fails').to.equal(undefined)
    expect(historyLength).to.be.below(20)
  })

  it('waits for its copies within one workflow task', async () => {
    await withoutWorker()
    // Long enough for a busy machine; a run has the durations of the process that opens it.
    const patient = { ...testPolicy, copiesMs: 20_000, workflowTaskMs: 60_000 }
    const worker = await startTestWorker(patient)
    wakeWith(patient)
    try {
      const app = await createApp(records, project)
      const attempt = attemptIn(await deploy(records, app))
      const { workflow } = await useClient()
      const id = workflowId('app', app.metadata.name)
      // On a busy machine another run may follow, which finds that the history is written after all.
      let runId: string | undefined
      const described = () =>
        workflow
          .getHandle(id)
          .describe()
          .catch(() => undefined)
      await eventually('its run is open', async () => (runId = (await described())?.runId) !== undefined)
      await untilState(records, app, 'ready', attempt)
      const handle = workflow.getHandle(id, runId)
      await handle.result()
      const { events } = await handle.fetchHistory()
      const tasks = (events ?? []).filter(({ workflowTaskCompletedEventAttributes: done }) => (done ?? null) !== null)
      expect(tasks).to.have.length(1)
    } finally {
      wakeWith(testPolicy)
      await worker.stop()
      await useWorker()
    }
  })

  it('continues with the existing objects when its status, which says that they were applied, is removed', async () => {
    const app = await createApp(records, project)
    const { status } = await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    const before = await liveDeployment(records, app)
    const ref = { type: resourceTypes.app, namespace: systemNamespace, name: app.metadata.name }
    await records.client.patch(ref, { status: null }, { subresource: 'status' })
    const isAgain = (last: NonNullable<typeof status>['lastAttempt']) =>
      last?.phase === 'Succeeded' && last.startedAt !== status?.lastAttempt?.startedAt
    await until(records.apps, app, (record) => isAgain(record?.status?.lastAttempt), 'a success that began again')
    expect((await liveDeployment(records, app))?.metadata.uid).to.equal(before?.metadata.uid)
  })

  it('is never seen as the ready that was there before it', async () => {
    const app = await createApp(records, project)
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    const accepted = await deploy(records, app)
    expect(appState(accepted).state, 'in the very record that the caller wrote').to.equal('pending')
    const ready = await untilState(records, app, 'ready')
    expect(ready.status?.lastAttempt?.id).to.equal(attemptIn(accepted))
  })

  it('restarts the copies when nothing was changed', async () => {
    const app = await createApp(records, project)
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    const before = await liveDeployment(records, app)
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    expect((await liveDeployment(records, app))?.metadata.annotations?.[annotations.release]).to.not.equal(
      before?.metadata.annotations?.[annotations.release],
    )
  })

  it('two deploys at once end in the later one, and the earlier one says so', async () => {
    const app = await createApp(records, project)
    const [first, second] = [await deploy(records, app), await deploy(records, app)].map(attemptIn)
    const ready = await untilState(records, app, 'ready', second)
    expect(ready.status?.lastAttempt?.phase).to.equal('Succeeded')
    expect(await stepsOf(records, first ?? '')).to.include(`superseded by ${second}`)
  })

  it('an undeployed edit never reaches a copy, not even when a live setting is applied', async () => {
    const app = await createApp(records, project)
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    await records.apps.edit(app.metadata.name, (current) => ({
      ...current,
      metadata: {
        ...current.metadata,
        annotations: { ...current.metadata.annotations, [annotations.pendingChanges]: 'settings' },
      },
      spec: { ...current.spec, replicas: 2, source: { image: { image: 'svc/hello:undeployed' } } },
    }))
    await until(
      records.apps,
      app,
      (record) => record?.status?.replicas?.available === 2 && appState(record).state === 'ready',
      'two copies',
    )
    expect((await liveDeployment(records, app))?.spec.template.spec.containers[0]?.image).to.equal('svc/hello:1')
  })

  it('a new host is applied at once, though no copy changes', async () => {
    const app = await createApp(records, project)
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    await edit(records, app, ({ ingress }) => ({ ingress: { ...ingress, host: `${app.metadata.name}.example.com` } }))
    await until(
      records.apps,
      app,
      (record) =>
        record?.status?.url === `http://${app.metadata.name}.example.com` && appState(record).state === 'ready',
      'at its host',
    )
    expect(await timersFired(app), 'written by a look that follows the apply, not by a recheck').to.equal(0)
  })

  it('a deletion wins over a deploy that goes on, and leaves nothing behind', async () => {
    const app = await createApp(records, project, { image: 'does-not-exist:3', configData: { A: '1' } })
    await deploy(records, app)
    await until(
      records.apps,
      app,
      (record) => appState(record ?? app).message.includes('cannot be pulled'),
      'waiting for the image',
    )
    await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
    await untilGone(records, app)
    const left = await Promise.all(
      [
        coreTypes.deployment,
        coreTypes.pod,
        coreTypes.service,
        coreTypes.configMap,
        coreTypes.secret,
        coreTypes.serviceAccount,
      ].map((type) =>
        records.client.list<KubeObject>(type, { labelSelector: `svc.dev/owner=${app.metadata.uid ?? ''}` }),
      ),
    )
    expect(left.flatMap(({ items }) => items.map((item) => `${item.kind} ${item.metadata.name}`))).to.deep.equal([])
  })

  it('refuses to deploy what is being deleted', async () => {
    const app = await createApp(records, project)
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    await records.apps.edit(app.metadata.name, (current) => ({
      ...current,
      metadata: { ...current.metadata, finalizers: [...(current.metadata.finalizers ?? []), 'test.svc.dev/held'] },
    }))
    await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
    const refused = await deploy(records, app).then(
      () => 'accepted',
      (error: Error) => error.message,
    )
    await records.apps.edit(app.metadata.name, (current) => ({
      ...current,
      metadata: {
        ...current.metadata,
        finalizers: (current.metadata.finalizers ?? []).filter((it) => !it.startsWith('test.')),
      },
    }))
    expect(refused).to.equal('the service is being deleted')
    await untilGone(records, app)
  })

  it('the same name deleted and created again is another service, deployed from its own record', async () => {
    const app = await createApp(records, project)
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
    await untilGone(records, app)
    const { uid: _uid, resourceVersion: _version, ...again } = app.metadata
    const reborn = await records.apps.create({
      ...app,
      metadata: again,
      spec: { ...app.spec, source: { image: { image: 'svc/hello:2' } } },
    })
    const ready = await untilState(records, reborn, 'ready', attemptIn(await deploy(records, reborn)))
    expect(ready.metadata.uid).to.not.equal(app.metadata.uid)
    expect((await liveDeployment(records, reborn))?.spec.template.spec.containers[0]?.image).to.equal('svc/hello:2')
  })

  it('a deploy accepted in the moment the run before it ends is not lost', async () => {
    const app = await createApp(records, project)
    await deploy(records, app)
    await untilState(records, app, 'ready')
    // Each deploy is accepted at the moment at which the previous run writes its last status.
    for (let round = 0; round < 8; round += 1) {
      const accepted = attemptIn(await deploy(records, app))
      await untilState(records, app, 'ready', accepted)
    }
  })
})
