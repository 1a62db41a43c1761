/** Keeps the record SvcHAReadiness `platform` current: it is written only when the verdict or a fact has changed. */
import { withReady, writeStatus } from '../../activities/kube/write-status.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { isAlreadyExists, isConflict } from '../../cluster/objects/errors.ts'
import type { Logger } from '../../cluster/objects/log.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import type { HaReadiness } from '../../kinds/ha-readiness/kind.ts'
import { readinessName, readinessOf } from '../../kinds/ha-readiness/readiness.ts'
import { theCluster } from '../../kinds/projects/intent.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { type RecordStore, recordStore } from '../../records/store/record-store.ts'
import { Debounce } from './debounce.ts'
import type { ReadinessCaches } from '../caches/readiness-caches.ts'

export interface ReadinessNeeds {
  client: ClusterClient
  caches: ReadinessCaches
  /** The ingress class of services. */
  ingressClass: string
  now: () => Date
  log: Logger
}

const againMs = 5_000
/** Pause after a conflict: the cache will soon have the write of another worker. */
const conflictMs = 250

/**
 * Compares at the start, to find changes from while no worker ran, and after each change of the cluster. Several
 * workers come to the same result. A write of the record by another worker causes no comparison: two workers, one of
 * them behind, would undo each other's writes. Returns the function that stops the watch.
 */
export function watchReadiness(needs: ReadinessNeeds): () => void {
  const { client, caches, log } = needs
  const store = recordStore<HaReadiness>(client, caches.readiness, resourceTypes.haReadiness)
  let writing = false
  let stopped = false
  let retry: NodeJS.Timeout | undefined

  const look = async (): Promise<void> => {
    if (stopped) return
    if (writing) {
      debounce.later(readinessName)
      return
    }
    writing = true
    try {
      await writeReadiness(needs, store)
    } catch (error) {
      if (!stopped) {
        log.warn(
          { error: error instanceof Error ? error.message : String(error) },
          'the readiness of the cluster could not be written; trying again',
        )
        clearTimeout(retry)
        retry = setTimeout(() => debounce.touch(readinessName), isConflict(error) ? conflictMs : againMs)
      }
    } finally {
      writing = false
    }
  }
  const debounce = new Debounce(() => void look())
  const touch = () => debounce.touch(readinessName)
  const stops = [
    caches.nodes.onChange(touch),
    caches.storageClasses.onChange(touch),
    caches.ingressClasses.onChange(touch),
    caches.postgresOperator.onChange(touch),
    caches.clusters.onChange(touch),
    caches.readiness.onChange(({ type }) => {
      if (type === 'delete') touch()
    }),
  ]
  touch()
  return () => {
    stopped = true
    for (const stop of stops) stop()
    clearTimeout(retry)
    debounce.stop()
  }
}

async function writeReadiness(
  { client, caches, ingressClass, now }: ReadinessNeeds,
  store: RecordStore<HaReadiness>,
): Promise<void> {
  const record = (await store.read(readinessName)) ?? (await createRecord(store))
  if (record === undefined) return // deleted at the same moment: the watch reports that
  const { facts, verdict } = readinessOf({
    nodes: caches.nodes.list(),
    storageClasses: caches.storageClasses.list().length,
    cluster: caches.clusters.get(theCluster, systemNamespace)?.status?.conditions,
    addons: {
      CloudNativePG: caches.postgresOperator.list().length > 0,
      [`the ingress class ${ingressClass}`]: caches.ingressClasses.get(ingressClass) !== undefined,
    },
  })
  const conditions = withReady<'haReadiness'>(record, verdict, now())
  await writeStatus(client, store, resourceTypes.haReadiness, record, { conditions, ...facts })
}

async function createRecord(store: RecordStore<HaReadiness>): Promise<HaReadiness | undefined> {
  const metadata = { name: readinessName, namespace: systemNamespace }
  try {
    return await store.create({ apiVersion, kind: resourceTypes.haReadiness.kind, metadata, spec: {} })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return await store.readLive(readinessName)
  }
}
