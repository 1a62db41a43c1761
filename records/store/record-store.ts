/** The records of one kind: read from the cache, written conditionally, and visible to the writer at once. */
import type { ResourceCache } from '../../cluster/cache/cache.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Ref } from '../../cluster/objects/cluster-client.ts'
import { isConflict, isNotFound } from '../../cluster/objects/errors.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ResourceType } from '../../cluster/objects/resource-type.ts'
import { onConflict, perRequest } from './retry.ts'
import { canBeObjectName } from '../../contract/fields/patterns.ts'
import { Problem, refusals, refuse } from '../../contract/problem.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { DeletionRequest } from '../../kinds/provision/deletion-request.ts'
import { createKeyedMutex } from './keyed-mutex.ts'
import { sharedReads } from './shared-reads.ts'

/** Decides a write: returns the new record, or undefined when there is nothing to write. */
export type Change<T> = (current: T) => T | undefined

export interface RecordStore<T extends KubeObject> {
  readonly cache: ResourceCache<T>
  /** Reads the cache; a miss is read live once, so that a record made by another replica is found. */
  read(name: string): Promise<T | undefined>
  /** Reads the live record, which then enters the cache. Concurrent callers may share the read. */
  readLive(name: string): Promise<T | undefined>
  /** Reads all live records, which then enter the cache. For rare decisions about what no other record may have. */
  listLive(): Promise<readonly T[]>
  /**
   * One conditional write. After a conflict or a lost answer the record is read and decided again, so two editors never
   * lose an edit silently; `change` must recognise its own earlier write. A refusal by `change`, or nothing to write,
   * counts only when it was decided on the live record and not on the cached one. Undefined when the record does not
   * exist. Throws Problem invalid_request when `ifMatch` is another resourceVersion.
   */
  edit(name: string, change: Change<T>, ifMatch?: string): Promise<T | undefined>
  create(record: T): Promise<T>
  /**
   * Deletes the record, if it has this uid. False when it did not exist. `asked` is noted on the record first, for its
   * run; without it the deletion counts as one by kubectl. Once the record is being deleted it is noted no more.
   */
  remove(name: string, uid: string, asked?: DeletionRequest): Promise<boolean>
}

export function recordStore<T extends KubeObject>(
  client: ClusterClient,
  cache: ResourceCache<T>,
  type: ResourceType,
): RecordStore<T> {
  const ref = (name: string) => ({ type, namespace: systemNamespace, name })
  const keep = (record: T) => {
    cache.put(record)
    return record
  }
  const ask = sharedReads(async ([name = '']: readonly string[]) => {
    const held = cache.get(name, systemNamespace)
    const record = await client.get<T>(ref(name))
    if (record !== undefined) return keep(record)
    if (held !== undefined) cache.forget(held)
    return undefined
  })
  // An invalid object name is not looked up: some such names make the API server answer 500.
  const readLive = async (name: string) => (canBeObjectName(name) ? ask(name, name) : undefined)
  const read = async (name: string) => cache.get(name, systemNamespace) ?? (await readLive(name))
  /** Decides on the cached record at first, on the live one after a write. Undefined when the record does not exist. */
  const decide = async (
    name: string,
    change: Change<T>,
    ifMatch: string | undefined,
    attempt: number,
  ): Promise<Decision<T> | undefined> => {
    const known = await (attempt === 1 ? read(name) : readLive(name))
    // The cached record may be older than the one that the caller has seen.
    const isOld = attempt === 1 && ifMatch !== undefined && known?.metadata.resourceVersion !== ifMatch
    const current = isOld ? await readLive(name) : known
    if (current === undefined) return undefined
    const decision = decideOn(change, current)
    if (attempt > 1 || isOld || decision.wanted !== undefined) return decision
    // The cached record may also be older than a write of another process: only the live one shows that nothing has to
    // be written.
    const live = await readLive(name)
    if (live?.metadata.resourceVersion === current.metadata.resourceVersion) return decision
    return live === undefined ? undefined : decideOn(change, live)
  }
  const edit = (name: string, change: Change<T>, ifMatch: string | undefined): Promise<T | undefined> => {
    const decideChecked = async (attempt: number) => {
      const decision = await decide(name, change, ifMatch, attempt)
      if (decision?.refusal !== undefined) throw decision.refusal
      // Nothing to write at a later attempt: the earlier write succeeded, whatever the version is now.
      const isOwn = attempt > 1 && decision?.wanted === undefined
      if (
        decision !== undefined &&
        ifMatch !== undefined &&
        decision.seen.metadata.resourceVersion !== ifMatch &&
        !isOwn
      ) {
        throw refuse(refusals.changedMeanwhile)
      }
      return decision
    }
    return onConflict(perRequest, decideChecked, async (decision) => {
      if (decision?.wanted === undefined) return decision?.seen
      try {
        return keep(await client.replace(type, decision.wanted))
      } catch (error) {
        if (isNotFound(error)) return undefined
        throw error
      }
    })
  }
  const mutex = createKeyedMutex()
  return {
    cache,
    read,
    readLive,
    listLive: async () => (await client.list<T>(type, { namespace: systemNamespace })).items.map(keep),
    edit: (name, change, ifMatch) => mutex(name, () => edit(name, change, ifMatch)),
    create: async (record) => keep(await client.create(type, record)),
    async remove(name, uid, asked) {
      if (asked !== undefined) await noteAsked(client, ref(name), await read(name), uid, asked)
      const there = await client.delete(ref(name), { uid, propagation: 'Background' })
      await readLive(name)
      return there
    },
  }
}

/** A record without a finalizer is gone at once, and no run works on it. */
async function noteAsked(
  client: ClusterClient,
  ref: Ref,
  known: KubeObject | undefined,
  uid: string,
  asked: DeletionRequest,
): Promise<void> {
  const { deletionTimestamp, finalizers = [] } = known?.metadata ?? {}
  if (deletionTimestamp !== undefined || finalizers.length === 0) return
  const metadata = { uid, annotations: { [annotations.deletion]: JSON.stringify(asked) } }
  await client.patch(ref, { metadata }).catch((error: unknown) => {
    // The deletion that follows finds the record gone, too.
    if (!isNotFound(error) && !isConflict(error)) throw error
  })
}

interface Decision<T> {
  seen: T
  wanted?: T | undefined
  refusal?: Problem
}

/** A refusal is returned and not thrown: it may be due to an outdated cached record. */
function decideOn<T>(change: Change<T>, seen: T): Decision<T> {
  try {
    return { seen, wanted: change(seen) }
  } catch (error) {
    if (error instanceof Problem) return { seen, refusal: error }
    throw error
  }
}
