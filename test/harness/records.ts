/** The platform's records as tests read and write them, and the waits of the tests. */
import { randomBytes } from 'node:crypto'
import { type RecordStores, storesOf } from '../../activities/context/needs.ts'
import { ResourceCache } from '../../cluster/cache/cache.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ResourceType } from '../../cluster/objects/resource-type.ts'
import { annotations, finalizers } from '../../kinds/meta/annotations.ts'
import { type App, type AppSpec, appSpec } from '../../kinds/apps/kind.ts'
import { isInHistory } from '../../kinds/apps/assess/judge.ts'
import { appState } from '../../kinds/apps/state.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { type Project, projectSpec } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { acceptDeploy, type DeployRequest } from '../../records/apps/accept-deploy.ts'
import type { PlacedNames } from '../../records/place/place.ts'
import { type RecordStore, recordStore } from '../../records/store/record-store.ts'
import { connectTemporal, temporalSettings } from '../../temporal/client/client.ts'
import { wakeAccepted } from '../../api/context/wakes.ts'
import { createWakes, type Wakes } from '../../temporal/client/wakes.ts'
import { atEnd, useStack } from './stack.ts'
import { scaledLimit } from './time-limits.ts'
import { testPolicy } from './worker.ts'

export interface TestRecords extends RecordStores {
  client: ClusterClient
  deployments: RecordStore<Deployment>
  now: () => Date
}

/** No name is taken. */
export const freeNames: PlacedNames = { taken: () => false, takenNow: async () => false, heldNow: async () => false }

let opened: Promise<TestRecords> | undefined

/** One set of caches for the whole run. */
export function useRecords(): Promise<TestRecords> {
  opened ??= openRecords()
  return opened
}

/** A second reader with its own caches, as another replica has. */
export async function openRecords(): Promise<TestRecords> {
  const { client } = await useStack()
  const caches: Pick<ResourceCache<KubeObject>, 'start' | 'stop'>[] = []
  const store = <T extends KubeObject>(type: ResourceType, indexes: Record<string, (record: T) => string[]> = {}) => {
    const cache = new ResourceCache<T>({ client, type, namespace: systemNamespace, log: silentLog, indexes })
    caches.push(cache)
    return recordStore(client, cache, type)
  }
  const ofApp = { app: (record: KubeObject & { spec?: { app?: string } }) => [record.spec?.app ?? ''] }
  const stores = storesOf((kind) => store(resourceTypes[kind], ofApp))
  const deployments = store<Deployment>(resourceTypes.deployment, ofApp)
  for (const cache of caches) {
    await cache.start()
    atEnd(() => cache.stop())
  }
  return {
    client,
    ...stores,
    deployments,
    now: () => new Date(),
  }
}

/** The records as seen by a process whose watch has received these and nothing since. */
export function behindStore<T extends KubeObject>(
  client: ClusterClient,
  type: ResourceType,
  known: readonly T[] = [],
  indexes: Record<string, (record: T) => string[]> = {},
): RecordStore<T> {
  const cache = new ResourceCache<T>({ client, type, namespace: systemNamespace, log: silentLog, indexes })
  for (const record of known) cache.put(record)
  return recordStore(client, cache, type)
}

/** Creates a project for the test; without a worker it is not set up. */
export async function createProject({ projects }: TestRecords, spec: Partial<Project['spec']> = {}): Promise<Project> {
  const name = `proj-${randomBytes(4).toString('hex')}`
  return await projects.create({
    apiVersion,
    kind: resourceTypes.project.kind,
    metadata: { name, namespace: systemNamespace, finalizers: [finalizers.project] },
    spec: projectSpec.parse({ displayName: name, environments: ['production'], ...spec }),
  })
}

/** A draft of a service in the project's production environment. */
export async function createApp(
  { apps }: TestRecords,
  project: Project,
  spec: Partial<AppSpec> & { image?: string } = {},
): Promise<App> {
  const { image = 'svc/hello:1', ...others } = spec
  return await apps.create({
    apiVersion,
    kind: resourceTypes.app.kind,
    metadata: {
      name: `app-${randomBytes(4).toString('hex')}`,
      namespace: systemNamespace,
      finalizers: [finalizers.app],
      annotations: { [annotations.pendingChanges]: 'created' },
    },
    spec: appSpec.parse({
      project: project.metadata.name,
      environment: 'production',
      source: { image: { image } },
      ...others,
    }),
  })
}

/** The record from the cache, as the api reads it. */
const known = async (records: TestRecords, app: App): Promise<App> =>
  (await records.apps.read(app.metadata.name)) ?? app

/** Accepts a deploy and wakes its workflow, as the api does. */
export async function deploy(records: TestRecords, app: App, request: Partial<DeployRequest> = {}): Promise<App> {
  const asked = { actor: 'tester', requestId: 'test' }
  return acceptDeploy(records, await known(records, app), {
    operation: 'deploy',
    title: 'A test deploys',
    onAccepted: wakeAccepted({ wakes: await useWakes() }, 'deploy requested', asked),
    ...asked,
    ...request,
  })
}

let sharedWakes: Promise<Wakes> | undefined
let wakePolicy: object = testPolicy

/** Sets the durations for runs that later wakes open: a run keeps those of its first wake. */
export function wakeWith(policy: object): void {
  wakePolicy = policy
  sharedWakes = undefined
}

export function useWakes(): Promise<Wakes> {
  sharedWakes ??= (async () => {
    const { temporalAddress } = await useStack()
    const settings = temporalSettings({ SVC_TEMPORAL_ADDRESS: temporalAddress, SVC_POLICY: JSON.stringify(wakePolicy) })
    const temporal = connectTemporal(settings)
    atEnd(() => temporal.close())
    return createWakes({ client: temporal.client, policy: settings.policy, searchable: true }, silentLog)
  })()
  return sharedWakes
}

/** Kill runs load the machine far more than tests do, and set a longer limit. */
const waitMs = (): number => Number(process.env['SVC_TEST_PATIENCE_MS'] ?? scaledLimit(25_000))

/** Waits until the record is as wanted; fails with its last state after the limit. */
export async function until<T extends KubeObject>(
  store: RecordStore<T>,
  record: { metadata: { name: string } },
  wanted: (record: T | undefined) => boolean,
  what: string,
): Promise<T> {
  const { name } = record.metadata
  const seen = await store.cache.waitFor(wanted, name, systemNamespace, { timeoutMs: waitMs() })
  const last = store.cache.get(name, systemNamespace)
  if (!seen)
    throw new Error(
      `${name} did not get to: ${what}; it is ${JSON.stringify({ metadata: last?.metadata, status: (last as { status?: unknown } | undefined)?.status })}`,
    )
  return last as T // undefined only where the caller waited for undefined
}

/**
 * Waits for a service's state and, when given, for the end of this attempt. A ready one is waited for with all that
 * follows: the history of a success and the removal of what it replaced come after its status.
 */
export async function untilState(
  { apps, deployments }: TestRecords,
  app: App,
  state: string,
  attempt?: string,
): Promise<App> {
  const reached = await until(
    apps,
    app,
    (record) =>
      record !== undefined &&
      appState(record).state === state &&
      (attempt === undefined || record.status?.lastAttempt?.id === attempt),
    attempt === undefined ? state : `${state} at ${attempt}`,
  )
  const view = viewOf(reached)
  if (state === 'ready' && view.attemptSucceeded)
    await until(
      deployments,
      { metadata: { name: view.activeRecord } },
      (active) => isInHistory({ get: () => active }, view, view.attempt?.at),
      'its history',
    )
  return reached
}

export function untilGone({ apps }: TestRecords, app: App): Promise<App> {
  return until(apps, app, (record) => record === undefined || record.metadata.uid !== app.metadata.uid, 'gone')
}
