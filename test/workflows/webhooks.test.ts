/**
 * What subscribers receive of deploys: each event once, whatever the result of the deploy and the behaviour of the
 * receiver.
 */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { changeWebhook, deleteWebhook } from '../../records/projects/webhooks.ts'
import { webhookSecretRef, writeWebhookSecret } from '../../records/secrets/webhook-secret.ts'
import { eventually } from '../cluster/eventually.ts'
import {
  createApp,
  createProject,
  deploy,
  type TestRecords,
  until,
  untilGone,
  untilState,
  useRecords,
} from '../harness/records.ts'
import { resyncUntil } from '../harness/resync.ts'
import { useClient } from '../harness/temporal-client.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import {
  deliver,
  deliveryOf,
  endOf,
  received,
  type Hook,
  hookOf,
  noticeOf,
  untilReceived,
  untilTried,
} from './delivery-world.ts'
import { attemptIn, untilSetUp } from './service-world.ts'

const started = 'deployment.started'
const succeeded = 'deployment.succeeded'
const failed = 'deployment.failed'

describe('outgoing webhooks', function () {
  this.timeout(90_000)
  let records: TestRecords
  let worker: TestWorker

  const setUp = async (): Promise<Project> => {
    const project = await createProject(records)
    await untilSetUp(records, project)
    return project
  }
  const deployed = async (project: Project, image = 'svc/hello:1') => {
    const app = await createApp(records, project, { image })
    return { app, record: attemptIn(await deploy(records, app)) }
  }

  before(async () => {
    records = await useRecords()
    await withoutWorker()
    worker = await startTestWorker({ sweepMs: 1 })
  })
  after(() => worker.stop())

  it('receive the start and the success of a deploy, once each, signed and in the words of its record', async () => {
    const project = await setUp()
    const hook = await hookOf(records, project)
    const { app, record } = await deployed(project)
    const ready = await untilState(records, app, 'ready', record)
    const messages = await untilReceived(hook, record, [started, succeeded])
    expect(messages.map(({ type }) => type).toSorted()).to.deep.equal([started, succeeded])
    const end = messages.find(({ type }) => type === succeeded)
    const { startedAt = '', completedAt = '' } = ready.status?.lastAttempt ?? {}
    expect(end).to.deep.equal({
      id: end?.id,
      type: succeeded,
      timestamp: completedAt,
      data: {
        project: project.metadata.name,
        environment: 'production',
        app: app.metadata.name,
        deployment: {
          id: record,
          phase: 'Succeeded',
          image: 'svc/hello:1',
          commit: '',
          trigger: '',
          actor: 'Dashboard',
          changeTitle: 'A test deploys',
          startedAt,
          completedAt,
        },
      },
    })
    expect(messages.find(({ type }) => type === started)?.data.deployment).to.deep.include({
      phase: 'Running',
      startedAt,
    })
    expect(new Set(messages.map(({ id }) => id)).size).to.equal(2)
    expect(await endOf(hook, record, succeeded)).to.equal('the receiver answered 204')
  })

  it('receive the reason why a deploy failed', async () => {
    const project = await setUp()
    const hook = await hookOf(records, project)
    const { app, record } = await deployed(project, 'svc/hello:crash')
    const ended = await untilState(records, app, 'failed', record)
    const messages = await untilReceived(hook, record, [started, failed])
    expect(messages.map(({ type }) => type).toSorted()).to.deep.equal([failed, started])
    expect(messages.find(({ type }) => type === failed)?.data.error).to.equal(ended.status?.lastAttempt?.summary)
  })

  it('receive the failure of a superseded deploy, and only that', async () => {
    const project = await setUp()
    const hook = await hookOf(records, project)
    const { app, record: first } = await deployed(project, 'does-not-exist:1')
    await until(
      records.apps,
      app,
      (found) => found?.status?.conditions?.[0]?.reason === 'ImagePull',
      'waiting for its image',
    )
    await records.apps.edit(app.metadata.name, (current) => ({
      ...current,
      spec: { ...current.spec, source: { image: { image: 'svc/hello:2' } } },
    }))
    const second = attemptIn(await deploy(records, app))
    await untilState(records, app, 'ready', second)
    await untilReceived(hook, second, [started, succeeded])
    const messages = await untilReceived(hook, first, [started, failed])
    expect(messages.map(({ type }) => type).toSorted()).to.deep.equal([failed, started])
    expect(messages.find(({ type }) => type === failed)?.data.error).to.equal(`superseded by ${second}`)
    expect(await deliveryOf(hook, first, succeeded)).to.equal(undefined)
  })

  it('receive the cancellation of a deploy when its service goes', async () => {
    const project = await setUp()
    const hook = await hookOf(records, project)
    const { app, record } = await deployed(project, 'does-not-exist:1')
    await until(
      records.apps,
      app,
      (found) => found?.status?.conditions?.[0]?.reason === 'ImagePull',
      'waiting for its image',
    )
    await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
    await untilGone(records, app)
    const messages = await untilReceived(hook, record, [started, failed])
    expect(messages.map(({ type }) => type).toSorted()).to.deep.equal([failed, started])
    expect(messages.find(({ type }) => type === failed)?.data.error).to.equal('cancelled: the service is being deleted')
  })

  it('receive only what they asked for, and nothing while disabled', async () => {
    const project = await setUp()
    const all = await hookOf(records, project)
    const failures = await hookOf(records, project, { events: [failed] })
    const none = await hookOf(records, project, { disabled: true })
    const { app, record } = await deployed(project)
    await untilState(records, app, 'ready', record)
    await untilReceived(all, record, [started, succeeded])
    for (const hook of [failures, none])
      for (const event of [started, succeeded, failed])
        expect(await deliveryOf(hook, record, event), event).to.equal(undefined)
  })

  it('that were down get it when they are back, under the same id and with the same content', async () => {
    const project = await setUp()
    const hook = await hookOf(records, project, { events: [succeeded] })
    await hook.receiver.stop()
    const { record } = await deployed(project)
    await untilTried(hook, record, succeeded, 2)
    await hook.receiver.listen()
    hook.receiver.answer((response) => response.writeHead(hook.receiver.received.length < 3 ? 503 : 200).end())
    expect(await endOf(hook, record, succeeded)).to.equal('the receiver answered 200')
    expect(hook.receiver.received).to.have.length(3)
    expect(new Set(hook.receiver.received.map(({ id, body }) => `${id} ${body}`)).size).to.equal(1)
    expect(received(hook)).to.have.length(3)
  })

  it('that keep silent or point elsewhere are tried again', async () => {
    const project = await setUp()
    const hook = await hookOf(records, project, { events: [succeeded] })
    const elsewhere = await hookOf(records, project, { disabled: true })
    hook.receiver.answer((response) => {
      const { length } = hook.receiver.received
      if (length === 1) return
      response.writeHead(length === 2 ? 307 : 200, { location: elsewhere.receiver.url }).end()
    })
    const { record } = await deployed(project)
    expect(await endOf(hook, record, succeeded)).to.equal('the receiver answered 200')
    expect(hook.receiver.received.map(({ id }) => id)).to.have.length(3)
    expect(elsewhere.receiver.received).to.deep.equal([])
  })

  for (const [how, act, why] of [
    ['deleted', (hook: Hook, name: string) => deleteWebhook(records, name, hook.id), 'the webhook was deleted'],
    [
      'disabled',
      (hook: Hook, name: string) => changeWebhook(records, name, hook.id, { disabled: true }),
      'the webhook is disabled',
    ],
  ] as const) {
    it(`that are ${how} meanwhile receive nothing more`, async () => {
      const project = await setUp()
      const hook = await hookOf(records, project, { events: [succeeded] })
      await hook.receiver.stop()
      const { record } = await deployed(project)
      await untilTried(hook, record, succeeded, 1)
      await act(hook, project.metadata.name)
      expect(await endOf(hook, record, succeeded)).to.equal(why)
      await hook.receiver.listen()
      expect(hook.receiver.received).to.deep.equal([])
    })
  }

  it('that never accept it are given up after their time, with the reason; the same event twice is delivered once', async () => {
    const project = await setUp()
    const [never, taking] = [await hookOf(records, project), await hookOf(records, project)]
    never.receiver.answer((response) => response.writeHead(500).end())
    const notice = noticeOf(project, 'app-given-up')
    await deliver(never, notice, { webhookGiveUpMs: 2_000 })
    await deliver(taking, notice)
    await deliver(taking, notice)
    expect(await endOf(taking, notice.deployment.id, succeeded)).to.equal('the receiver answered 204')
    await deliver(taking, notice)
    // On a busy machine a try may be under way when the time is over.
    expect(await endOf(never, notice.deployment.id, succeeded)).to.match(
      /^failed: not delivered in time: (the receiver answered 500|the last try was cut off)$/,
    )
    expect(never.receiver.received.length).to.be.greaterThan(0)
    expect(taking.receiver.received).to.have.length(1)
  })

  it('hold nothing up: a deploy is done while its webhook cannot be reached', async () => {
    const project = await setUp()
    const hook = await hookOf(records, project)
    hook.receiver.answer(() => undefined)
    const { app, record } = await deployed(project)
    await untilState(records, app, 'ready', record)
    expect((await deliveryOf(hook, record, started))?.status.name).to.equal('RUNNING')
    await deleteWebhook(records, project.metadata.name, hook.id)
    await endOf(hook, record, succeeded)
  })

  it('leave neither address nor secret in any history', async () => {
    const project = await setUp()
    const hook = await hookOf(records, project)
    hook.receiver.answer((response) =>
      response.writeHead(hook.receiver.received.length < 2 ? 500 : 200).end('an answer that may not be read'),
    )
    const { record } = await deployed(project)
    await endOf(hook, record, succeeded)
    await endOf(hook, record, started)
    const { workflow } = await useClient()
    const ids = [started, succeeded].map((event) => `webhook/${hook.id}/${record}/${event}`)
    for (const id of [...ids, `app/${received(hook)[0]?.data.app ?? ''}`]) {
      const events = JSON.stringify(await workflow.getHandle(id).fetchHistory(), (_key, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString() : value,
      )
      for (const secret of [
        hook.secret,
        hook.secret.slice('whsec_'.length),
        String(hook.receiver.port),
        'an answer that may not be read',
      ])
        expect(events, id).not.to.include(secret)
    }
  })

  it('get from the resync the events of a run that was ended by hand, if they existed by then', async () => {
    const project = await setUp()
    const { app, record } = await deployed(project)
    const { name } = project.metadata
    const ended = (await untilState(records, app, 'ready', record)).status?.lastAttempt?.completedAt ?? ''
    const [there, late] = [
      await hookOf(records, project, { events: [succeeded] }),
      await hookOf(records, project, { events: [succeeded] }),
    ]
    await records.projects.edit(name, (current) => ({
      ...current,
      spec: {
        ...current.spec,
        webhooks: current.spec.webhooks.map((each) =>
          each.id === there.id ? { ...each, since: new Date(0).toISOString() } : each,
        ),
      },
    }))
    await resyncUntil('received', () => received(there).length > 0)
    expect((await untilReceived(there, record, [succeeded]))[0]?.timestamp).to.equal(ended)
    expect(await deliveryOf(late, record, succeeded)).to.equal(undefined)
  })

  it('whose save or deletion died half-way leave no secret: the resync sweeps it', async () => {
    const project = await setUp()
    const hook = await hookOf(records, project)
    await writeWebhookSecret(records.client, project, 'orphan', 'whsec_b3JwaGFu')
    // Creation times of Secrets have whole seconds.
    await eventually('the secrets are older than the sweep asks for', async () => {
      const { items } = await records.client.list<KubeObject>(coreTypes.secret, {
        namespace: systemNamespace,
        labelSelector: `${labels.purpose}=webhook,${labels.project}=${project.metadata.name}`,
      })
      return (
        items.length === 2 &&
        items.every(({ metadata }) => Date.now() - Date.parse(metadata.creationTimestamp ?? '') > 10)
      )
    })
    await resyncUntil(
      'swept',
      async () => (await records.client.get(webhookSecretRef(project.metadata.name, 'orphan'))) === undefined,
    )
    expect(await records.client.get(webhookSecretRef(project.metadata.name, hook.id))).not.to.equal(undefined)
  })
})
