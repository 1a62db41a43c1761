/**
 * Services that sleep when idle: the published definitions of KEDA's HTTP add-on are on the cluster, and the test
 * scales the copies as KEDA does.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { workflowId } from '../../durable/ids.ts'
import { appState } from '../../kinds/apps/state.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { wakeServiceName } from '../../kinds/apps/names.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes, sleepTypes } from '../../kinds/meta/resource-types.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { isOpen } from '../../temporal/client/wakes.ts'
import { eventually } from '../cluster/eventually.ts'
import { installSleepKinds } from '../harness/keda/install.ts'
import { deploy, type TestRecords, until, untilGone, untilState } from '../harness/records.ts'
import { useClient } from '../harness/temporal-client.ts'
import { startTestWorker, useWorker, withoutWorker } from '../harness/worker.ts'
import { attemptIn, edit, openWorld } from './service-world.ts'
import { createSleeper, ownersOfCopies, sleepReader } from './sleep-world.ts'

const waitMs = 20_000
const idle = { enabled: true, idleSeconds: 60 }
const noAddOn = 'sleep-when-idle is saved but not active: the serverless add-on is not installed'

describe('a service that sleeps when idle', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project
  let app: App
  let uninstall: (() => Promise<void>) | undefined
  let on: ReturnType<typeof sleepReader>
  const wakesBy = () => wakeServiceName(app.metadata.name, app.metadata.uid ?? '')

  before(async () => {
    ;({ records, project } = await openWorld())
  })
  after(async () => {
    await uninstall?.()
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
  })

  it('says what is missing while the add-on is not installed, and runs as ever', async () => {
    app = await createSleeper(records, project, { replicas: 2 })
    on = sleepReader(records, app)
    app = await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    expect(app.status?.scaleToZero).to.deep.equal({ active: false, message: noAddOn })
    expect(app.status?.sleeping).to.equal(false)
    expect(ownersOfCopies(await on.deployment())).to.deep.equal(['svc'])
  })

  it('is handed to the add-on once that is there, with as many copies as it had', async () => {
    uninstall = await installSleepKinds(records.client)
    await on.untilSays(true)
    const deployment = await on.deployment()
    expect(deployment?.spec?.replicas).to.equal(2)
    expect(ownersOfCopies(deployment)).to.deep.equal(['svc-sleep'])
    expect((await on.route())?.spec).to.deep.equal({
      target: { service: app.metadata.name, port: 80 },
      rules: [{ hosts: [app.spec.ingress.host] }],
      scalingMetric: { concurrency: { targetValue: 100 } },
      timeouts: { readiness: '180s', responseHeader: '0s' },
    })
    expect((await on.scaler())?.spec).to.deep.equal({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: app.metadata.name },
      minReplicaCount: 0,
      maxReplicaCount: 2,
      cooldownPeriod: 60,
      initialCooldownPeriod: 60,
      pollingInterval: 15,
      triggers: [
        {
          type: 'external-push',
          metadata: {
            scalerAddress: 'keda-add-ons-http-external-scaler.keda:9090',
            interceptorRoute: app.metadata.name,
          },
        },
      ],
    })
    expect(await on.leadsTo()).to.equal(wakesBy())
    expect((await on.service(wakesBy()))?.spec).to.deep.include({
      type: 'ExternalName',
      externalName: 'keda-add-ons-http-interceptor-proxy.keda.svc.cluster.local',
    })
  })

  it('is ready while it sleeps and while a request wakes it, and says which', async () => {
    await on.scale(0)
    let seen = await on.untilAsleep(true)
    expect([appState(seen).state, readyOf(seen.status?.conditions)?.message]).to.deep.equal([
      'ready',
      'asleep: a request starts it',
    ])
    await on.scale(1)
    seen = await on.untilAsleep(false)
    expect(ownersOfCopies(await on.deployment()), 'svc owns the number no longer').to.deep.equal([])
    expect(appState(seen).state).to.equal('ready')
  })

  it('is started to be verified when it is deployed at zero copies, and may sleep again after', async () => {
    await on.scale(0)
    await on.untilAsleep(true)
    const accepted = await deploy(records, app)
    app = await untilState(records, app, 'ready', attemptIn(accepted))
    expect(app.status?.lastAttempt).to.include({ phase: 'Succeeded', summary: '1 of 1 copies ready' })
    expect(app.status?.sleeping).to.equal(false)
    expect(await on.copies()).to.equal(1)
    expect(ownersOfCopies(await on.deployment())).to.deep.equal(['svc-sleep'])
    expect((await on.scaler())?.spec.minReplicaCount).to.equal(0)
  })

  it('is not taken for verified by copies that were taken away meanwhile', async () => {
    await on.scale(0)
    await on.untilAsleep(true)
    // The attempt has to last for all of this: one that has failed is not started again. A run keeps its durations, and
    // the one that has just written the status would go on with the next worker.
    const runs = workflowId('app', app.metadata.name)
    await eventually('its run has ended', async () => !(await isOpen(await useClient(), runs, waitMs)), waitMs)
    await withoutWorker()
    const patient = await startTestWorker({ attemptMs: 4 * waitMs })
    await edit(records, app, ({ source }) => ({ source: { ...source, image: { image: 'svc/hello:stuck' } } }))
    await eventually('it is started', async () => (await on.copies()) === 1, waitMs)
    await eventually('the add-on knows', async () => (await on.scaler())?.spec.minReplicaCount === 1, waitMs)
    await on.scale(0)
    await eventually('it is started once more', async () => (await on.copies()) === 1, waitMs)
    await edit(records, app, ({ source }) => ({ source: { ...source, image: { image: 'svc/hello:1' } } }))
    app = await untilState(records, app, 'ready')
    await patient.stop()
    await useWorker()
  })

  it('takes settings while it sleeps, without being started', async () => {
    await on.scale(0)
    await on.untilAsleep(true)
    await edit(records, app, ({ scaleToZero }) => ({
      scaleToZero: { ...scaleToZero, idleSeconds: 90, maxReplicas: 5 },
    }))
    await eventually('it is set', async () => (await on.scaler())?.spec['cooldownPeriod'] === 90, waitMs)
    await untilState(records, app, 'ready')
    expect((await on.scaler())?.spec).to.include({ maxReplicaCount: 5, minReplicaCount: 0 })
    expect(await on.copies()).to.equal(0)
  })

  it('gets back what is deleted by hand', async () => {
    await withoutWorker() // it looks for kinds that were not there every half minute
    await useWorker()
    const { name } = app.metadata
    const namespace = targetNamespace(app.spec)
    for (const type of Object.values(sleepTypes)) {
      const ref = { type, namespace, name }
      const before = await records.client.get(ref)
      await records.client.delete(ref)
      const isNew = async () =>
        ((await records.client.get(ref))?.metadata.uid ?? before?.metadata.uid) !== before?.metadata.uid
      await eventually(`${type.kind} is there again`, isNew, waitMs)
    }
    expect(await on.copies()).to.equal(0)
  })

  it('may sleep again after a worker that was cut off in a deploy asked for a copy, once the deploy had ended', async () => {
    const ref = { type: sleepTypes.scaler, namespace: targetNamespace(app.spec), name: app.metadata.name }
    await records.client.patch(ref, { spec: { minReplicaCount: 1 } })
    await eventually('svc owns it no longer', async () => (await on.scaler())?.spec.minReplicaCount === 0, waitMs)
  })

  it('has copies again when the add-on is removed while it sleeps', async () => {
    expect(await on.copies()).to.equal(0)
    await uninstall?.()
    uninstall = undefined
    const seen = await on.untilSays(false, noAddOn)
    expect(seen.status?.sleeping).to.equal(false)
    expect(await on.copies()).to.equal(2)
    expect(ownersOfCopies(await on.deployment())).to.include('svc')
    expect(await on.leadsTo()).to.equal(app.metadata.name)
    expect(await on.service(wakesBy())).to.equal(undefined)
  })

  it('has copies again when the add-on took the last one away while sleep ended', async () => {
    await on.scale(0) // decided before the ScaledObject went
    await eventually('it is started', async () => (await on.copies()) === 2, waitMs)
    app = await untilState(records, app, 'ready')
    expect(readyOf(app.status?.conditions)?.message).to.equal('2 of 2 copies ready')
  })

  it('belongs to the autoscaler by CPU when that is switched on while it sleeps', async () => {
    uninstall = await installSleepKinds(records.client)
    await on.untilSays(true)
    await on.scale(0)
    await on.untilAsleep(true)
    await edit(records, app, () => ({ autoscaling: { minReplicas: 1, maxReplicas: 3, targetCPUUtilization: 50 } }))
    await on.untilSays(false, 'sleep-when-idle is saved but not active: CPU autoscaling is on')
    expect(await on.copies(), 'an autoscaler leaves a Deployment alone that has none').to.equal(1)
    expect(await on.scaler(), 'two would scale it').to.equal(undefined)
    const { name } = app.metadata
    const autoscaler = { type: coreTypes.horizontalPodAutoscaler, namespace: targetNamespace(app.spec), name }
    expect(await records.client.get(autoscaler)).to.not.equal(undefined)
    expect(await on.leadsTo()).to.equal(name)
    await on.scale(0)
    await eventually('it is started', async () => (await on.copies()) === 1, waitMs)
  })

  const untilTaken = (one: App) =>
    until(
      records.apps,
      one,
      (record) => readyOf(record?.status?.conditions)?.reason === 'HostTaken',
      'said to be taken',
    )

  it("removes the interceptor's route for a host that another service has", async () => {
    const noHost = { ...app.spec.ingress, host: '' }
    const older = await createSleeper(records, project, {
      scaleToZero: { ...idle, enabled: false },
      ingress: noHost,
    })
    await untilState(records, older, 'ready', attemptIn(await deploy(records, older)))
    // The cluster notes when a record was made in whole seconds.
    await sleep(1_100)
    const younger = await createSleeper(records, project)
    const its = sleepReader(records, younger)
    await deploy(records, younger)
    await its.untilSays(true)
    const { host } = younger.spec.ingress
    // As when both ask at the same moment: nothing says yet where it leads. A running worker would say it in between.
    const ref = { type: resourceTypes.app, namespace: systemNamespace, name: younger.metadata.name }
    const { pid } = await useWorker()
    process.kill(pid, 'SIGSTOP')
    try {
      await records.client.patch(ref, { status: { hosts: [] } }, { subresource: 'status' })
      await edit(records, older, () => ({ ingress: { ...noHost, host } }))
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    await eventually('svc owns it no longer', async () => (await its.route()) === undefined, waitMs)
    await untilTaken(younger)
    for (const one of [older, younger]) await records.apps.remove(one.metadata.name, one.metadata.uid ?? '')
    await Promise.all([untilGone(records, older), untilGone(records, younger)])
  })

  it('leaves nothing when it is deleted at zero copies', async () => {
    await records.apps.edit(app.metadata.name, (current) => {
      const { autoscaling: _, ...spec } = current.spec
      return { ...current, spec }
    })
    await on.untilSays(true)
    await on.scale(0)
    await on.untilAsleep(true)
    await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
    await untilGone(records, app)
    expect(await Promise.all([on.deployment(), on.route(), on.scaler(), on.service(wakesBy())])).to.deep.equal(
      Array.from({ length: 4 }),
    )
  })
})
