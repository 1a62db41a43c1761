/**
 * A worker that compares records which only its cache holds: making as many on a real cluster would take minutes.
 * Everything else is real: Temporal, the workflow, the activities, the Secrets of the databases. It writes each wake to
 * a file, one per line, instead of opening a run.
 */
import { appendFileSync } from 'node:fs'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { createEnvironmentAccess } from '../../activities/context/environment-access.ts'
import { createResyncActivities } from '../../activities/resync/activities.ts'
import { ResourceCache } from '../../cluster/cache/cache.ts'
import { connectCluster } from '../../cluster/client.ts'
import { createDiscovery } from '../../cluster/discovery.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ResourceType } from '../../cluster/objects/resource-type.ts'
import { workflowId } from '../../durable/ids.ts'
import { controlQueue } from '../../durable/queues.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { type App, appSpec } from '../../kinds/apps/kind.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { type Database, databaseSpec } from '../../kinds/databases/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { createGitHost } from '../../outside/githost/githost.ts'
import { gitHostSettings } from '../../outside/githost/addresses.ts'
import { createPullRequestHost } from '../../outside/githost/pull-requests.ts'
import { recordStore } from '../../records/store/record-store.ts'
import { connectTemporal, temporalSettings } from '../../temporal/client/client.ts'
import { builderSettings, checkLimits } from '../../temporal/settings/builder.ts'
import { cloudsOf } from '../../temporal/settings/clouds.ts'
import { Heartbeat } from '../../temporal/pollers/heartbeat.ts'
import { isOpen } from '../../temporal/client/wakes.ts'
import { placementSettings } from '../../temporal/settings/placement.ts'
import { isVersioned } from '../../temporal/releases/keep-current.ts'
import { hasWork } from '../../temporal/own-workflow-kinds.ts'
import { workflowBundle } from '../../temporal/releases/workflow-bundle.ts'
import { cacheOf } from '../../activities/apps/observe.ts'
import { type ChildCaches, storesOf } from '../../activities/context/needs.ts'

const { SVC_TEST_SERVICES = '0', SVC_TEST_SERVERS = '', SVC_TEST_WOKEN = '', SVC_TEST_HANGS_AT } = process.env
Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('WARN', ({ message }) => console.error(message)) })

const client = connectCluster()
const settings = temporalSettings(process.env)
const temporal = connectTemporal(settings)
const ready = {
  type: 'Ready',
  status: 'True' as const,
  reason: 'Ready',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
}

function storeOf<T extends KubeObject>(
  type: ResourceType,
  records: readonly T[] = [],
  indexes: Record<string, (record: T) => string[]> = {},
) {
  const cache = new ResourceCache<T>({ client, type, namespace: systemNamespace, log: silentLog, indexes })
  for (const record of records) cache.put(record)
  return recordStore(client, cache, type)
}

const metadataOf = (name: string) => ({ name, namespace: systemNamespace, uid: `uid-of-${name}`, resourceVersion: '1' })
const spec = appSpec.parse({
  project: 'proj-00000001',
  environment: 'production',
  source: { image: { image: 'svc/hello:1' } },
  deploy: { enabled: true },
})
/** Every second one asks for work: it is deployed and nothing exists for it. */
const apps = Array.from({ length: Number(SVC_TEST_SERVICES) }, (_, index): App => {
  const metadata = metadataOf(`app-${String(index).padStart(6, '0')}`)
  if (index % 2 === 1)
    return { apiVersion, kind: 'SvcApp', metadata, spec: { ...spec, deploy: { ...spec.deploy, enabled: false } } }
  return {
    apiVersion,
    kind: 'SvcApp',
    metadata: { ...metadata, annotations: { [annotations.lastDeployed]: JSON.stringify(spec) } },
    spec,
  }
})
/** Ready external databases, each at a server of its own. */
const databases = SVC_TEST_SERVERS.split(',').map((port): Database => {
  const elsewhere = {
    engine: 'postgres',
    placement: 'External',
    mode: 'Connect',
    externalHost: '127.0.0.1',
    externalPort: Number(port),
  }
  const login = { externalUsername: 'svc', externalPasswordRef: { name: 'resync-password', key: 'password' } }
  return {
    apiVersion,
    kind: 'SvcDatabase',
    metadata: metadataOf(`silent-${port}`),
    spec: databaseSpec.parse({ project: '', environment: '', ...elsewhere, ...login }),
    status: { conditions: [ready] },
  }
})

const woken = new Set<string>()
let hung = false
const emptyChildren = Object.fromEntries(Object.values(cacheOf).map((name) => [name, storeOf(resourceTypes.app).cache]))
const activities = createResyncActivities({
  client,
  discovery: createDiscovery(client),
  ...storesOf((kind) => storeOf(resourceTypes[kind])),
  apps: storeOf(resourceTypes.app, apps),
  builds: storeOf<Build>(resourceTypes.build, [], { app: (build) => [build.spec.app] }),
  databases: storeOf(resourceTypes.database, databases),
  deployments: storeOf(resourceTypes.deployment),
  children: emptyChildren as unknown as ChildCaches, // never read: no record here has objects
  clouds: cloudsOf(process.env),
  gitHost: createGitHost(gitHostSettings({})),
  pullRequests: createPullRequestHost(gitHostSettings({ SVC_GITHUB_API_URL: 'http://127.0.0.1:9' })),
  pullRequestIdleMs: 1_000,
  emptyingMs: 1_000,
  cloudSettleMs: 1_000,
  access: createEnvironmentAccess(client, Date.now),
  placement: placementSettings({}),
  objectServer: { image: 'none' },
  backupImage: 'none',
  binlogImage: '',
  builder: builderSettings({}),
  checks: checkLimits(settings.policy),
  registries: undefined,
  imageRemover: undefined,
  crashRestarts: 1,
  steadyMs: 1,
  aloneMs: 1_000,
  copiesNews: {
    expect: () => undefined,
    follow: () => undefined,
    wait: () => Promise.resolve(false),
    release: () => undefined,
  },
  rolloutTurns: { begin: () => Promise.resolve(), applied: () => undefined, end: () => undefined },
  dropMs: 1_000,
  schedules: {
    isUpToDate: () => Promise.resolve(true),
    put: () => Promise.resolve(),
    pause: () => Promise.resolve(),
    remove: () => Promise.resolve(),
    list: () => Promise.resolve([]),
  },
  startDelivery: () => Promise.resolve(),
  startReport: () => Promise.resolve(),
  lateMs: 1,
  now: () => new Date(),
  log: silentLog,
  platformAsks: () => Promise.resolve(false),
  sweepMs: 3_600_000,
  hasWork,
  missingOf: () => undefined,
  wakePullRequest: () => Promise.resolve(),
  // A run counts as open once this worker has woken it; for every other run the worker asks Temporal.
  isOpen: async (kind, name) => woken.has(name) || (await isOpen(temporal.client, workflowId(kind, name), 10_000)),
  wake: async (kind, name) => {
    // Once: a call whose answer never comes.
    if (name === SVC_TEST_HANGS_AT && !hung) {
      hung = true
      await new Promise(() => undefined)
    }
    woken.add(name)
    appendFileSync(SVC_TEST_WOKEN, `${kind} ${name}\n`)
  },
})
// Without a version, so that the work goes to no release of an earlier test.
await isVersioned({ client: temporal.client, mode: 'off', log: silentLog })
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address: settings.address }),
  namespace: settings.namespace,
  taskQueue: controlQueue,
  workflowBundle: { codePath: await workflowBundle() },
  interceptors: { activity: [() => ({ inbound: new Heartbeat() })] },
  // One activity that never ends, and a sweep that always fails.
  activities: {
    ...activities,
    lookAtObjectServer: () => new Promise(() => undefined),
    sweep: ({ what }: Parameters<typeof activities.sweep>[0]) =>
      what === 'history' ? Promise.reject(new Error('no right to do so')) : activities.sweep({ what }),
  },
})
const running = worker.run()
console.log('"the worker is ready"')
await running
