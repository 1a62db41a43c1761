/** The scenarios in which a worker is killed at every write, once before and once after its effect. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { appState } from '../../kinds/apps/state.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { functionImageNames } from '../../one-machine/index.ts'
import { editSpec } from '../../records/apps/edit-app.ts'
import { saveAndDeploy } from '../../records/apps/save-settings.ts'
import { setSecret } from '../../records/apps/secrets.ts'
import { workflowBundle } from '../../temporal/releases/workflow-bundle.ts'
import {
  createApp,
  deploy,
  freeNames,
  type TestRecords,
  until,
  untilGone,
  untilState,
  useWakes,
} from '../harness/records.ts'
import { atEnd, useStack } from '../harness/stack.ts'
import { testPolicy } from '../harness/worker.ts'
import { type MortalProcess, startProcess } from './mortal-process.ts'
import type { Expected } from './service-breaches.ts'
import { diesWith, type WritePoint } from './write-points.ts'

/**
 * Besides the shortened durations of all tests: a killed worker is noticed soon, and secrets of unaccepted deploys are
 * swept soon.
 */
export const killPolicy = {
  ...testPolicy,
  attemptMs: 60_000,
  crashRestarts: 1,
  heartbeatMs: 2_000,
  stickyMs: 300,
  workflowTaskMs: 1_500,
  retryMaxMs: 1_000,
} as const

let bundled: Promise<string> | undefined

/** The workflow bundle that every worker of a run takes, also where the sources are edited meanwhile. */
export function useBundle(): Promise<string> {
  bundled ??= workflowBundle()
  return bundled
}

export async function startMortalWorker(
  policy: object = {},
  logFile?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<MortalProcess> {
  const { kubeconfig, temporalAddress } = await useStack()
  const worker = await startProcess({
    entry: 'test/kill/mortal-worker.ts',
    ready: '"the worker is ready"',
    env: {
      KUBECONFIG: kubeconfig,
      SVC_TEMPORAL_ADDRESS: temporalAddress,
      SVC_POLICY: JSON.stringify({ ...killPolicy, ...policy }),
      SVC_WORKFLOW_BUNDLE: await useBundle(),
      SVC_WEBHOOK_PRIVATE: '1',
      SVC_FUNCTION_IMAGES: JSON.stringify(functionImageNames),
      SVC_RELEASES: 'this',
      ...env,
    },
    ...(logFile === undefined ? {} : { logFile }),
  })
  atEnd(() => worker.kill())
  return worker
}

export interface Scenario {
  /** Brings a service to the state in which the scenario begins. */
  arrange(records: TestRecords, project: Project): Promise<App>
  /** The requests that are accepted while the worker is about to be killed. */
  act(records: TestRecords, app: App): Promise<void>
  /**
   * Resolves when the scenario has ended as it should, with what must hold then; undefined when the service is deleted.
   */
  untilReconciled(records: TestRecords, app: App): Promise<Expected | undefined>
}

/** The target environment of moves; projects of kill runs have it. */
export const elsewhere = 'staging'

const secret = 'a-value-nobody-may-read'

const asDrafted = (name: string) => ({
  name,
  image: 'svc/hello:1',
  replicas: 2,
  config: { GREETING: 'hello' },
  secrets: { SECRET: secret },
})

async function draft(records: TestRecords, project: Project, image = 'svc/hello:1'): Promise<App> {
  const app = await createApp(records, project, { image, configData: { GREETING: 'hello' }, replicas: 2 })
  return (await setSecret(records, app, 'SECRET', secret)).app
}

async function running(records: TestRecords, project: Project): Promise<App> {
  const app = await draft(records, project)
  return await untilState(records, app, 'ready', viewOf(await deploy(records, app)).attempt?.record)
}

async function deployed(records: TestRecords, app: App): Promise<Expected> {
  const { name } = app.metadata
  const newest = viewOf((await records.apps.readLive(name)) ?? app).attempt?.record
  const ready = await untilState(records, app, 'ready', newest)
  const attempts = [viewOf(app).attempt?.record, viewOf(ready).attempt?.supersedes, newest].filter(
    (record) => record !== undefined,
  )
  return {
    ...asDrafted(name),
    state: 'ready',
    image: ready.spec.source.image?.image ?? '',
    attempts: [...new Set(attempts)],
  }
}

export const scenarios = {
  'a first deploy': {
    arrange: (records, project) => draft(records, project),
    act: async (records, app) => void (await deploy(records, app)),
    untilReconciled: deployed,
  },
  'a deploy that supersedes one that waits for its image': {
    async arrange(records, project) {
      const app = await draft(records, project)
      await editSpec(records, app.metadata.name, ({ spec }) => ({
        ...spec,
        source: { image: { image: 'does-not-exist:1' } },
      }))
      await deploy(records, app)
      return await until(
        records.apps,
        app,
        (record) => record?.status?.conditions?.[0]?.reason === 'ImagePull',
        'waiting for its image',
      )
    },
    async act(records, app) {
      await editSpec(records, app.metadata.name, ({ spec }) => ({
        ...spec,
        source: { image: { image: 'svc/hello:2' } },
      }))
      await deploy(records, app)
    },
    untilReconciled: deployed,
  },
  'a deploy whose copies keep exiting': {
    arrange: (records, project) => draft(records, project, 'svc/hello:crash'),
    act: async (records, app) => void (await deploy(records, app)),
    async untilReconciled(records, app) {
      const attempt = viewOf((await records.apps.readLive(app.metadata.name)) ?? app).attempt?.record
      await untilState(records, app, 'failed', attempt)
      return { ...asDrafted(app.metadata.name), state: 'failed', image: 'svc/hello:crash', attempts: [attempt ?? ''] }
    },
  },
  'a failed deploy that is taken back': {
    async arrange(records, project) {
      const app = await running(records, project)
      await editSpec(records, app.metadata.name, ({ spec }) => ({
        ...spec,
        deploy: { ...spec.deploy, rollbackOnFailure: true },
      }))
      return await untilState(records, app, 'ready')
    },
    async act(records, app) {
      await editSpec(records, app.metadata.name, ({ spec }) => ({
        ...spec,
        source: { image: { image: 'svc/hello:crash' } },
      }))
      await setSecret(
        records,
        (await records.apps.readLive(app.metadata.name)) ?? app,
        'SECRET',
        'of-the-deploy-that-fails',
      )
      await deploy(records, app)
    },
    async untilReconciled(records, app) {
      const back = (record: App | undefined) =>
        record !== undefined && viewOf(record).attempt?.because !== undefined && appState(record).state === 'ready'
      await until(records.apps, app, back, 'taken back')
      const ready = await untilState(records, app, 'ready')
      const failed = /^(\S+) failed: /.exec(viewOf(ready).attempt?.because ?? '')?.[1] ?? ''
      const attempts = [viewOf(app).attempt?.record ?? '', failed, viewOf(ready).attempt?.record ?? '']
      return { ...asDrafted(app.metadata.name), state: 'ready', attempts }
    },
  },
  'a move to another environment': {
    arrange: running,
    async act(records, app) {
      const needs = { ...records, hostTrouble: async () => undefined, volumeOf: () => undefined, names: freeNames }
      await saveAndDeploy(
        needs,
        app,
        { environment: elsewhere },
        { actor: 'tester', requestId: 'test', title: 'Moved' },
      )
      ;(await useWakes()).wake('app', app.metadata.name, { reason: 'moved' })
    },
    async untilReconciled(records, app) {
      const expected = await deployed(records, app)
      const before = {
        namespace: targetNamespace(app.spec),
        labelSelector: `${labels.owner}=${app.metadata.uid ?? ''}`,
      }
      const { items } = await records.client.list<KubeObject>(coreTypes.deployment, before)
      if (items.some(({ metadata }) => metadata.deletionTimestamp === undefined))
        throw new Error('the service left its Deployment behind')
      return { ...expected, attempts: [viewOf(app).attempt?.record ?? '', ...expected.attempts.slice(-1)] }
    },
  },
  'a first deploy with a volume': {
    arrange: (records, project) =>
      createApp(records, project, { configData: { GREETING: 'hello' }, volume: { path: '/data', size: '1Gi' } }),
    act: async (records, app) => void (await deploy(records, app)),
    async untilReconciled(records, app) {
      const expected = await deployed(records, app)
      const { claim = '', uid } = (await records.apps.readLive(app.metadata.name))?.status?.volume ?? {}
      const found = await records.client.get<KubeObject>({
        type: coreTypes.persistentVolumeClaim,
        namespace: targetNamespace(app.spec),
        name: claim,
      })
      if (uid === undefined || found?.metadata.uid !== uid)
        throw new Error('its volume is not the one that it ran with')
      return { ...expected, replicas: 1, secrets: {} }
    },
  },
  'a deletion with a volume': {
    arrange: async (records, project) => {
      const app = await createApp(records, project, { volume: { path: '/data', size: '1Gi' } })
      return await untilState(records, app, 'ready', viewOf(await deploy(records, app)).attempt?.record)
    },
    act: async (records, app) => void (await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')),
    untilReconciled: async (records, app) => void (await untilGone(records, app)),
  },
  'a deletion': {
    arrange: running,
    act: async (records, app) => void (await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')),
    untilReconciled: async (records, app) => void (await untilGone(records, app)),
  },
} as const satisfies Record<string, Scenario>

export interface Point extends WritePoint {
  scenario: keyof typeof scenarios
  holding?: string
}

/**
 * Kills the worker at this point of its scenario and lets another one finish it. `died` is false when the scenario has
 * fewer writes, which ends an enumeration. `meanwhile` accepts other requests at that time.
 */
export async function dieAt(
  { scenario, when, write, holding = '' }: Point,
  records: TestRecords,
  project: Project,
  worker: MortalProcess,
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<{ died: boolean; worker: MortalProcess; expected: Expected | undefined }> {
  const { arrange, act, untilReconciled }: Scenario = scenarios[scenario]
  const app = await arrange(records, project)
  worker.arm({ when, write, about: app.metadata.name, holding })
  await Promise.all([meanwhile(), act(records, app)])
  const completion = untilReconciled(records, app)
  const died = await diesWith(worker, completion)
  const next = died ? await startMortalWorker() : worker
  return { died, worker: next, expected: await completion }
}
