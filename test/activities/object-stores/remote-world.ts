/**
 * Remote stores and their steps, run by a loop like the workflow's, in an account that moto plays through a proxy that
 * injects faults.
 */
import { randomBytes } from 'node:crypto'
import { createRemoteStoreActivities } from '../../../activities/object-stores/remote-activities.ts'
import { removeFinalizer } from '../../../activities/provision/activities.ts'
import type { ProvisionContext, StepInput, StepResult } from '../../../activities/provision/context.ts'
import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../../../cluster/client.ts'
import type { Sent } from '../../../cluster/objects/object.ts'
import { silentLog } from '../../../cluster/objects/log.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { finalizers } from '../../../kinds/meta/annotations.ts'
import { storeRules } from '../../../kinds/object-stores/draft.ts'
import { type ObjectStore, objectStoreSpec } from '../../../kinds/object-stores/kind.ts'
import { apiVersion, systemNamespace } from '../../../kinds/meta/group.ts'
import { provisionPlan } from '../../../kinds/provision/plan.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { createAws } from '../../../outside/aws/account.ts'
import { createPlanetScale, planetScaleSettings } from '../../../outside/planetscale/planetscale.ts'
import { createConnection } from '../../../records/cloud-connections/create-connection.ts'
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts'
import { type Moto, useMoto } from '../../harness/moto.ts'
import { createProject, type TestRecords, useRecords } from '../../harness/records.ts'

/** A slow answer comes after the client's timeout, which is longer than any call to moto takes. */
const slowMs = 2_500
const callMs = 1_500

export interface RemoteWorld {
  records: TestRecords
  moto: Moto
  proxy: FaultProxy
  project: string
  connection: string
  remote: ReturnType<typeof createRemoteStoreActivities>
  /** The same with no time to empty a bucket, and a cloud that takes an hour for a call. */
  hurried: ReturnType<typeof createRemoteStoreActivities>
  create(spec?: object, name?: string): Promise<ObjectStore>
  read(store: ObjectStore): Promise<ObjectStore>
  /** Runs one pass over the steps, or over the removals of a deleted store. */
  pass(store: ObjectStore): Promise<StepResult>
  /** Runs passes until one is done, up to a maximum; resolves with the result of each. */
  reconcile(store: ObjectStore, passes?: number): Promise<StepResult[]>
  remove(store: ObjectStore): Promise<void>
  /** The result of one pass, as `<outcome>: <message>`. */
  messageOf(store: ObjectStore): Promise<string>
  /** The texts of the store's connection Secret. */
  secretOf(store: ObjectStore): Promise<Record<string, string> | undefined>
  close(): Promise<void>
}

/** The texts of a Secret by key, undefined when the Secret does not exist. */
export async function readTexts(
  client: ClusterClient,
  namespace: string,
  name: string,
): Promise<Record<string, string> | undefined> {
  const found = await client.get<Sent<V1Secret>>({ type: coreTypes.secret, namespace, name })
  return (
    found &&
    Object.fromEntries(
      Object.entries(found.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
    )
  )
}

export const unique = (prefix: string): string => `${prefix}-${randomBytes(4).toString('hex')}`

export async function openRemoteWorld(): Promise<RemoteWorld> {
  const records = await useRecords()
  const { client, objectStores, projects, now } = records
  const moto = await useMoto()
  const proxy = await startFaultProxy(moto.url, slowMs)
  const project = (await createProject(records)).metadata.name
  await client.create(coreTypes.namespace, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: `${project}-production` },
  })
  const connection = unique('account')
  const wanted = { name: connection, provider: 'AWS', project, region: '', organization: '', keys: moto.keys } as const
  await createConnection({ client, projects, cloudConnections: records.cloudConnections, now }, wanted)
  const context: ProvisionContext<ObjectStore> = {
    client,
    store: objectStores,
    type: resourceTypes.objectStore,
    rules: storeRules,
    now,
  }
  const clouds = {
    aws: createAws({ endpoint: proxy.url, callMs, attempts: 1 }),
    planetScale: createPlanetScale(planetScaleSettings({})),
  }
  const remote = createRemoteStoreActivities(context, {
    client,
    clouds,
    objectStores,
    emptyingMs: 10_000,
    cloudSettleMs: 0,
    log: silentLog,
    now,
  })

  const read = async (store: ObjectStore): Promise<ObjectStore> => {
    const found = await objectStores.readLive(store.metadata.name)
    if (found === undefined) throw new Error(`no store ${store.metadata.name}`)
    return found
  }
  const pass = async (store: ObjectStore): Promise<StepResult> => {
    const plan = provisionPlan(storeRules, store.metadata.name, await read(store))
    const asked: StepInput = { name: plan.name, uid: plan.uid, intent: plan.intent }
    const steps =
      plan.story === 'remove'
        ? [
            remote.closeRemoteStore,
            remote.emptyRemoteStore,
            remote.removeRemoteUser,
            remote.awaitCutOffCalls,
            remote.emptyRemoteStore,
            remote.removeRemoteUser,
            remote.removeRemoteSecret,
          ]
        : [
            remote.noteRemoteStore,
            remote.settleRemoteBuckets,
            remote.settleRemoteUser,
            remote.settleRemoteKey,
            remote.proveRemoteKey,
          ]
    let last: StepResult | undefined
    for (const step of steps) {
      last = await step(asked)
      if (last.outcome !== 'done') return last
    }
    if (plan.story === 'remove') await removeFinalizer(context)(asked)
    if (last === undefined) throw new Error('there is no step')
    return last
  }
  return {
    records,
    moto,
    proxy,
    project,
    connection,
    remote,
    hurried: createRemoteStoreActivities(context, {
      client,
      clouds,
      objectStores,
      emptyingMs: 0,
      cloudSettleMs: 3_600_000,
      log: silentLog,
      now,
    }),
    create: (spec = {}, name = unique('store')) =>
      objectStores.create({
        apiVersion,
        kind: resourceTypes.objectStore.kind,
        metadata: { name, namespace: systemNamespace, finalizers: [finalizers.objectStore] },
        spec: objectStoreSpec.parse({
          project,
          environment: 'production',
          engine: 'Remote',
          createBucket: true,
          connectionRef: { name: connection },
          buckets: [unique('bucket')],
          ...spec,
        }),
      }),
    read,
    pass,
    reconcile: async (store, passes = 6) => {
      const all: StepResult[] = []
      while (all.length < passes && all.at(-1)?.outcome !== 'done') all.push(await pass(store))
      return all
    },
    remove: async (store) => {
      await objectStores.remove(store.metadata.name, store.metadata.uid ?? '')
    },
    messageOf: async (store) => {
      const { outcome, message } = await pass(store)
      return `${outcome}: ${message}`
    },
    secretOf: ({ metadata }) => readTexts(client, `${project}-production`, `${metadata.name}-connection`),
    close: async () => {
      await proxy.stop()
      for (const { metadata } of objectStores.cache.list().filter(({ spec }) => spec.project === project)) {
        await objectStores.edit(metadata.name, (current) => ({
          ...current,
          metadata: { ...current.metadata, finalizers: [] },
        }))
        await objectStores.remove(metadata.name, metadata.uid ?? '')
      }
      const own = await records.cloudConnections.readLive(connection)
      await records.cloudConnections.remove(connection, own?.metadata.uid ?? '')
      await client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: `${connection}-credentials` })
      const made = await projects.edit(project, (current) => ({
        ...current,
        metadata: { ...current.metadata, finalizers: [] },
      }))
      await projects.remove(project, made?.metadata.uid ?? '')
      await client.delete({ type: coreTypes.namespace, name: `${project}-production` })
    },
  }
}
