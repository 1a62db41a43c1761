/**
 * Temporal or every worker is away: requests are accepted, nothing is lost, and the work continues when they are back.
 */
import { spawn } from 'node:child_process'
import { expect } from 'chai'
import { createClient } from '../../client/client.ts'
import { signInByPassword } from '../../client/password-sign-in.ts'
import { freePort } from '../../one-machine/processes/index.ts'
import { eventually } from '../cluster/eventually.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { applyChild } from '../../activities/kube/apply-child.ts'
import { prepare } from '../../activities/apps/prepare.ts'
import type { ActivityNeeds } from '../../activities/context/needs.ts'
import { isConflict } from '../../cluster/objects/errors.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { appState } from '../../kinds/apps/state.ts'
import type { Project } from '../../kinds/projects/kind.ts'
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
import { useStack } from '../harness/stack.ts'
import { useWorker, withoutWorker } from '../harness/worker.ts'

describe('an outage', function () {
  this.timeout(90_000)
  let records: TestRecords
  let project: Project

  before(async () => {
    records = await useRecords()
    await useWorker()
    project = await createProject(records)
    await until(
      records.projects,
      project,
      (record) => record?.status?.conditions?.some((it) => it.status === 'True') === true,
      'ready',
    )
  })

  it('of Temporal delays a deploy, which is accepted meanwhile and happens when it is back', async () => {
    const { temporal } = await useStack()
    const app = await createApp(records, project)
    await temporal.stop()
    const accepted = await deploy(records, app)
    expect(appState(accepted).state).to.equal('pending')
    await temporal.restart()
    await untilState(records, app, 'ready', viewOf(accepted).attempt?.record)
  })

  it('of Temporal as the api sees it costs no caller time: drafts, deploys and reads are answered, and the watch delivers', async () => {
    const { kubeconfig } = await useStack()
    const port = await freePort()
    const users = JSON.stringify([{ username: 'outage', password: 'outage-outage-outage', role: 'admin' }])
    await records.client.delete({ type: coreTypes.secret, namespace: 'svc-system', name: 'svc-dashboard-auth' })
    const api = spawn(process.execPath, ['api/main.ts'], {
      env: {
        ...process.env,
        KUBECONFIG: kubeconfig,
        SVC_PORT: String(port),
        SVC_DASHBOARD_USERS: users,
        SVC_TEMPORAL_ADDRESS: '127.0.0.1:1',
      },
      stdio: 'ignore',
    })
    try {
      const baseUrl = `http://127.0.0.1:${port}`
      await eventually(
        'serving',
        async () => (await fetch(`${baseUrl}/healthz`).catch(() => undefined))?.status === 200,
        30_000,
      )
      const token = await signInByPassword({
        baseUrl,
        username: 'outage',
        password: 'outage-outage-outage',
        tokenName: 'outage',
        expiresInDays: 1,
        userAgent: 'test',
      })
      const client = createClient({ baseUrl, token, userAgent: 'test' })
      const began = performance.now()
      const { name } = await client.call('apps.create', {
        project: project.metadata.name,
        environment: 'production',
        image: 'svc/hello:1',
      })
      await client.call('apps.deploy', { app: name })
      expect((await client.call('apps.status', { app: name })).state).to.equal('pending')
      expect(performance.now() - began, 'three requests').to.be.lessThan(12_000)
      await until(
        records.apps,
        { metadata: { name } },
        (record) => record !== undefined && appState(record).state === 'ready',
        'ready',
      )
    } finally {
      api.kill('SIGKILL')
      await records.client.delete({ type: coreTypes.secret, namespace: 'svc-system', name: 'svc-dashboard-auth' })
    }
  })

  it('of all workers delays deploys and deletions, which happen when one is back', async () => {
    const [deployed, deleted] = [await createApp(records, project), await createApp(records, project)]
    await deploy(records, deleted)
    await untilState(records, deleted, 'ready')
    await withoutWorker()
    const accepted = await deploy(records, deployed)
    await records.apps.remove(deleted.metadata.name, deleted.metadata.uid ?? '')
    await useWorker()
    await untilState(records, deployed, 'ready', viewOf(accepted).attempt?.record)
    await untilGone(records, deleted)
  })

  it('of all workers hides no drift: a deployment deleted meanwhile is made again', async () => {
    const app = await createApp(records, project)
    await deploy(records, app)
    await untilState(records, app, 'ready')
    const where = { type: coreTypes.deployment, namespace: targetNamespace(app.spec), name: app.metadata.name }
    await withoutWorker()
    await records.client.delete(where, { propagation: 'Foreground' })
    while ((await records.client.get(where)) !== undefined) await new Promise((resolve) => setTimeout(resolve, 50))
    await useWorker()
    while ((await records.client.get(where)) === undefined) await new Promise((resolve) => setTimeout(resolve, 50))
    await untilState(records, app, 'ready')
  })

  it('of one worker that begins an attempt once more after another ended it opens nothing', async () => {
    const app = await createApp(records, project)
    await deploy(records, app)
    const ended = await untilState(records, app, 'ready')
    const { uid = '', name } = ended.metadata
    const late = { name, uid, attempt: viewOf(ended).attempt?.record ?? '', story: 'deploy' as const }
    // This call writes nothing, so it needs no more than the records.
    const { outcome } = await prepare({ ...records } as unknown as ActivityNeeds)(late)
    expect(outcome).to.equal('changed')
    const after = await records.apps.readLive(name)
    expect(after?.status?.lastAttempt).to.deep.equal(ended.status?.lastAttempt)
  })

  it('of one worker ends in a late write of its superseded attempt, which meets a conflict', async () => {
    const app = await createApp(records, project)
    await deploy(records, app)
    await untilState(records, app, 'ready')
    const where = { type: coreTypes.deployment, namespace: targetNamespace(app.spec), name: app.metadata.name }
    const { apiVersion, kind, metadata, ...body } = (await records.client.get<KubeObject>(where)) ?? {
      apiVersion: '',
      kind: '',
      metadata: { name: '' },
    }
    const late = {
      apiVersion,
      kind,
      metadata: { name: metadata.name, namespace: targetNamespace(app.spec), labels: metadata.labels ?? {} },
      ...body,
      status: undefined,
    }
    // The stale worker has read the Deployment; before it writes, a newer attempt is rolled out.
    let held: Promise<void> = Promise.resolve()
    const zombie = {
      ...records,
      client: {
        ...records.client,
        get: records.client.get.bind(records.client),
        apply: async (...args: Parameters<typeof records.client.apply>) => {
          await held
          return records.client.apply(...args)
        },
      },
    }
    held = (async () => {
      const newer = viewOf(await deploy(records, app)).attempt?.record
      await untilState(records, app, 'ready', newer)
    })()
    const needs = {
      ...zombie,
      children: {},
      placement: { ingressClass: '', clusterIssuer: '' },
      crashRestarts: 1,
      log: console,
    } as unknown as Parameters<typeof applyChild>[0]
    const outcome = await applyChild(needs, late, metadata.labels?.[labels.owner] ?? '').then(
      () => 'written',
      (error: unknown) => (isConflict(error) ? 'conflict' : String(error)),
    )
    expect(outcome).to.equal('conflict')
  })
})
