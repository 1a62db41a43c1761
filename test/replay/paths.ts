/** The paths through the workflows with stored histories: each acts on real servers and returns the run to store. */
import { ResourceCache } from '../../cluster/cache/cache.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { appState } from '../../kinds/apps/state.ts'
import { deliveryId, resyncScheduleId, workflowId } from '../../durable/ids.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { platformConfigName } from '../../kinds/platform/settings.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { type RecordStore, recordStore } from '../../records/store/record-store.ts'
import { saveDomain } from '../../records/settings/domain.ts'
import { createApp, createProject, deploy, type TestRecords, until, untilGone, untilState } from '../harness/records.ts'
import { atEnd } from '../harness/stack.ts'
import { buildPaths } from './build-paths.ts'
import { databasePaths } from './database-paths.ts'
import { pullRequestPaths } from './pull-request-paths.ts'
import type { Path, Scene } from './scene.ts'
import { schedulePaths } from './schedule-paths.ts'
import {
  createLogical,
  type LogicalWorld,
  remove,
  standInServer,
  untilGone as untilLogicalGone,
  untilReady as untilLogicalReady,
} from '../workflows/logical-world.ts'
import { deliver, endOf, hookOf, noticeOf } from '../workflows/delivery-world.ts'

/** The platform's configuration as the test reads it. */
async function openConfig({ client }: TestRecords): Promise<RecordStore<PlatformConfig>> {
  const type = resourceTypes.platformConfig
  const cache = new ResourceCache<PlatformConfig>({ client, type, namespace: systemNamespace, log: silentLog })
  await cache.start()
  atEnd(() => cache.stop())
  return recordStore(client, cache, type)
}

const attemptIn = (app: App) => viewOf(app).attempt?.record
const stuck = (app: App | undefined) => app !== undefined && appState(app).message.includes('cannot be pulled')

async function running(scene: Scene, spec: Parameters<typeof createApp>[2] = {}): Promise<App> {
  const { records, project, rest } = scene
  const app = await createApp(records, project, spec)
  const ready = await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
  await rest(idOf(app))
  return ready
}

const idOf = ({ metadata }: App) => workflowId('app', metadata.name)
const edit = (records: TestRecords, app: App, change: (spec: App['spec']) => Partial<App['spec']>) =>
  records.apps.edit(app.metadata.name, (current) => ({
    ...current,
    spec: { ...current.spec, ...change(current.spec) },
  }))

async function readyProject({ records, rest }: Scene): Promise<Project> {
  const project = await createProject(records, { environments: ['production', 'staging'] })
  const ready = await until(
    records.projects,
    project,
    (record) => record?.status?.conditions?.some((it) => it.status === 'True') === true,
    'ready',
  )
  await rest(workflowId('project', project.metadata.name))
  return ready
}

async function sharedServer({ records, project }: Scene): Promise<{ world: LogicalWorld; server: Database }> {
  const world = { records, project, place: namespaceOf(project.metadata.name, 'production') }
  return { world, server: await standInServer(world, { name: 'shared-postgres', project: '', environment: '' }) }
}

export const paths: Readonly<Record<string, Path>> = {
  ...databasePaths,
  ...pullRequestPaths,
  ...buildPaths,
  ...schedulePaths,
  'deploy-ready': async ({ records, project }) => {
    const app = await createApp(records, project, { configData: { GREETING: 'hello' } })
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    return idOf(app)
  },
  'deploy-failed': async ({ records, project }) => {
    const app = await createApp(records, project, { image: 'svc/hello:crash' })
    await untilState(records, app, 'failed', attemptIn(await deploy(records, app)))
    return idOf(app)
  },
  'deploy-taken-back': async (scene) => {
    const { records } = scene
    const app = await running(scene, { deploy: { enabled: false, rollbackOnFailure: true } })
    await edit(records, app, () => ({ source: { image: { image: 'svc/hello:crash' } } }))
    await deploy(records, app)
    const takenBack = (record: App | undefined) =>
      record !== undefined && viewOf(record).attempt?.because !== undefined && appState(record).state === 'ready'
    await until(records.apps, app, takenBack, 'taken back')
    return idOf(app)
  },
  'deploy-superseded': async ({ records, project }) => {
    const app = await createApp(records, project, { image: 'does-not-exist:1' })
    await deploy(records, app)
    await until(records.apps, app, stuck, 'waiting for the image')
    await records.apps.edit(app.metadata.name, (current) => ({
      ...current,
      spec: { ...current.spec, source: { image: { image: 'svc/hello:2' } } },
    }))
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    return idOf(app)
  },
  'deploy-waited-for-its-project': async (scene) => {
    const { records, project } = scene
    const late = `proj-${Math.floor(Math.random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')}`
    const app = await createApp(records, { ...project, metadata: { ...project.metadata, name: late } })
    await deploy(records, app)
    await until(
      records.apps,
      app,
      (record) => appState(record ?? app).message === `project ${late} does not exist`,
      'waiting for the project',
    )
    const { uid: _uid, resourceVersion: _version, ...metadata } = project.metadata
    await records.projects.create({ ...project, metadata: { ...metadata, name: late } })
    await untilState(records, app, 'ready')
    return idOf(app)
  },
  'deploy-refused-by-the-cluster': async ({ records, project }) => {
    const app = await createApp(records, project)
    const foreign = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: app.metadata.name, namespace: `${project.metadata.name}-production` },
      spec: { ports: [{ port: 1234 }] },
    }
    await records.client.create(
      { group: '', version: 'v1', kind: 'Service', plural: 'services', namespaced: true },
      foreign,
    )
    await untilState(records, app, 'failed', attemptIn(await deploy(records, app)))
    return idOf(app)
  },
  'reconcile-scaled': async (scene) => {
    const app = await running(scene)
    await edit(scene.records, app, () => ({ replicas: 2 }))
    await until(
      scene.records.apps,
      app,
      (record) => record?.status?.replicas?.available === 2 && appState(record).state === 'ready',
      'two copies',
    )
    return idOf(app)
  },
  adopt: async (scene) => {
    const app = await running(scene)
    await edit(scene.records, app, () => ({ source: { image: { image: 'svc/hello:2' } } }))
    await until(
      scene.records.apps,
      app,
      (record) => record !== undefined && appState(record).state === 'ready' && record.status?.image === 'svc/hello:2',
      'deployed',
    )
    return idOf(app)
  },
  withdraw: async (scene) => {
    const app = await running(scene)
    await edit(scene.records, app, ({ deploy: settings }) => ({ deploy: { ...settings, enabled: false } }))
    await until(
      scene.records.apps,
      app,
      (record) => record?.status?.conditions?.some((it) => it.reason === 'Draft') === true,
      'withdrawn',
    )
    return idOf(app)
  },
  remove: async (scene) => {
    const app = await running(scene, { configData: { GREETING: 'hello' } })
    await scene.records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
    await untilGone(scene.records, app)
    return idOf(app)
  },
  'remove-during-deploy': async ({ records, project }) => {
    const app = await createApp(records, project, { image: 'does-not-exist:1' })
    await deploy(records, app)
    await until(records.apps, app, stuck, 'waiting for the image')
    await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
    await untilGone(records, app)
    return idOf(app)
  },
  retry: async (scene) => {
    const { records, project, rest } = scene
    const app = await createApp(records, project, { image: 'svc/hello:crash' })
    await untilState(records, app, 'failed', attemptIn(await deploy(records, app)))
    await rest(idOf(app))
    await records.apps.edit(app.metadata.name, (current) => ({
      ...current,
      metadata: { ...current.metadata, annotations: { ...current.metadata.annotations, [annotations.retry]: 'again' } },
    }))
    await until(
      records.apps,
      app,
      (record) => record?.status?.reconcileRetry?.token === 'again' && appState(record).state === 'failed',
      'failed again',
    )
    return idOf(app)
  },
  'project-settle': async (scene) => {
    const project = await createProject(scene.records)
    await until(
      scene.records.projects,
      project,
      (record) => record?.status?.conditions?.some((it) => it.status === 'True') === true,
      'ready',
    )
    return workflowId('project', project.metadata.name)
  },
  'project-archive': async (scene) => {
    const project = await readyProject(scene)
    await scene.records.projects.edit(project.metadata.name, (current) => ({
      ...current,
      spec: { ...current.spec, environments: ['production'] },
    }))
    await until(scene.records.projects, project, (record) => record?.status?.environments?.length === 1, 'archived')
    return workflowId('project', project.metadata.name)
  },
  'project-remove': async (scene) => {
    const project = await readyProject(scene)
    const app = await createApp(scene.records, project)
    await untilState(scene.records, app, 'ready', attemptIn(await deploy(scene.records, app)))
    await scene.records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
    await until(scene.records.projects, project, (record) => record === undefined, 'gone')
    return workflowId('project', project.metadata.name)
  },
  'logical-database-made': async (scene) => {
    const { world, server } = await sharedServer(scene)
    const record = await untilLogicalReady(world, await createLogical(world, server.metadata.name))
    return workflowId('logicalDatabase', record.metadata.name)
  },
  'logical-database-dropped': async (scene) => {
    const { world, server } = await sharedServer(scene)
    const record = await untilLogicalReady(
      world,
      await createLogical(world, server.metadata.name, { databaseName: 'dropped' }),
    )
    const id = workflowId('logicalDatabase', record.metadata.name)
    await scene.rest(id)
    await remove(world, record)
    await untilLogicalGone(world, record)
    return id
  },
  'platform-verification': async ({ records }) => {
    const store = await openConfig(records)
    const says = (reason: string) =>
      until(
        store,
        { metadata: { name: platformConfigName } },
        (config) => config?.status?.conditions?.some((it) => it.reason === reason) === true,
        reason,
      )
    await saveDomain(records, { rootDomain: 'verification.invalid' })
    await says('PendingDNS')
    await saveDomain(records, { rootDomain: '' })
    await says('NoDomain')
    return workflowId('platform', platformConfigName)
  },
  'webhook-delivered': async ({ records }) => {
    const project = await createProject(records)
    const hook = await hookOf(records, project)
    const notice = noticeOf(project, 'app-delivered')
    await deliver(hook, notice)
    await endOf(hook, notice.deployment.id, notice.event)
    return deliveryId(hook.id, notice.deployment.id, notice.event)
  },
  'webhook-given-up': async ({ records }) => {
    const project = await createProject(records)
    const hook = await hookOf(records, project)
    hook.receiver.answer((response) => response.writeHead(500).end())
    const notice = noticeOf(project, 'app-given-up')
    await deliver(hook, notice, { webhookGiveUpMs: 2_000 })
    await endOf(hook, notice.deployment.id, notice.event)
    return deliveryId(hook.id, notice.deployment.id, notice.event)
  },
  'resync-with-backups': async (scene) => {
    await scene.resync()
    return resyncScheduleId
  },
  resync: async (scene) => {
    await scene.resync()
    return resyncScheduleId
  },
}
