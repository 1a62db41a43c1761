/** One kind's records: read from memory, written conditionally, seen by the writer at once. */

import type { ResourceCache } from '../cluster/cache.ts'
import type { ClusterClient } from '../cluster/client.ts'
import { isConflict, isNotFound, isUnreachable } from '../cluster/errors.ts'
import type { KubeObject } from '../cluster/object.ts'
import type { ResourceType } from '../cluster/resource-type.ts'
import { Problem, refuse } from '../contract/problem.ts'
import { systemNamespace } from '../kinds/group.ts'
import { createInTurn } from './in-turn.ts'

const attempts = 12
/** An RFC 1123 subdomain, near enough: what the cluster takes for a name. */
const objectName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/
/** A write whose answer was lost is asked about this many times; being conditional, it cannot happen twice. */
const lostAnswers = 2

/** How a change of a record is decided: the new record, or undefined when there is nothing to write. */
export type Change<T> = (current: T) => T | undefined

export interface RecordStore<T extends KubeObject> {
  readonly cache: ResourceCache<T>
  /** From memory; a miss is asked of the cluster once, so a record made by another replica is found. */
  read(name: string): Promise<T | undefined>
  /** Past memory: what the cluster holds now, which memory then knows, too. */
  readLive(name: string): Promise<T | undefined>
  /**
   * One conditional write: a conflict or a lost answer re-reads and decides again, so two editors never lose an edit silently;
   * `change` must see when its own write is there already, and is asked again, of the cluster, before its refusal of what memory
   * held counts, or its finding that there is nothing to write. Undefined when there is no such record. Throws Problem
   * invalid_request when `ifMatch` names another resourceVersion.
   */
  edit(name: string, change: Change<T>, ifMatch?: string): Promise<T | undefined>
  create(record: T): Promise<T>
  /** Asks for the deletion; only the record with this uid goes. False when it was not there. */
  remove(name: string, uid: string): Promise<boolean>
}

export function recordStore<T extends KubeObject>(client: ClusterClient, cache: ResourceCache<T>, type: ResourceType): RecordStore<T> {
  const ref = (name: string) => ({ type, namespace: systemNamespace, name })
  const keep = (record: T) => {
    cache.put(record)
    return record
  }
  const readLive = async (name: string) => {
    // A name that no object can have is not worth a question, and some make the cluster answer 500.
    if (!objectName.test(name)) return undefined
    const held = cache.get(name, systemNamespace)
    const record = await client.get<T>(ref(name))
    if (record !== undefined) return keep(record)
    if (held !== undefined) cache.forget(held)
    return undefined
  }
  const read = async (name: string) => cache.get(name, systemNamespace) ?? (await readLive(name))
  const edit = async (name: string, change: Change<T>, ifMatch: string | undefined): Promise<T | undefined> => {
    let current = await read(name)
    let live = false
    // Memory may be behind what the caller has seen.
    if (ifMatch !== undefined && current?.metadata.resourceVersion !== ifMatch) {
      current = await readLive(name)
      live = true
    }
    let tried = false
    let lost = 0
    for (let attempt = 1; current !== undefined; attempt += 1) {
      const seen: T = current
      const { wanted, refusal } = decided(change, seen)
      // It may be behind what another process has written, too: only the cluster can say that nothing has to be written.
      if (wanted === undefined && !live) {
        current = await readLive(name)
        live = true
        if (current?.metadata.resourceVersion !== seen.metadata.resourceVersion) continue
      }
      if (refusal !== undefined) throw refusal
      // Nothing to write the second time round: our own write arrived, whatever its version is now.
      if (ifMatch !== undefined && seen.metadata.resourceVersion !== ifMatch && (!tried || wanted !== undefined)) {
        throw refuse('the resource was changed by somebody else; read it again and retry')
      }
      if (wanted === undefined) return seen
      tried = true
      try {
        return keep(await client.replace(type, wanted))
      } catch (error) {
        if (isNotFound(error)) return undefined
        if (isUnreachable(error)) lost += 1
        if ((!isConflict(error) && !isUnreachable(error)) || lost > lostAnswers || attempt === attempts) throw error
        current = await readLive(name)
        live = true
      }
    }
    return undefined
  }
  const inTurn = createInTurn()
  return {
    cache,
    read,
    readLive,
    edit: (name, change, ifMatch) => inTurn(name, () => edit(name, change, ifMatch)),
    create: async (record) => keep(await client.create(type, record)),
    async remove(name, uid) {
      const there = await client.delete(ref(name), { uid, propagation: 'Background' })
      await readLive(name)
      return there
    },
  }
}

/** A refusal is no failure yet: it may be of what memory held. */
function decided<T>(change: Change<T>, current: T): { wanted?: T | undefined; refusal?: Problem } {
  try {
    return { wanted: change(current) }
  } catch (error) {
    if (error instanceof Problem) return { refusal: error }
    throw error
  }
}
