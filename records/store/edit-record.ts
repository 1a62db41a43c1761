/**
 * All edits of the records of databases, logical databases and buckets: refused while the record is being deleted,
 * limited in size, one conditional write.
 */
import { randomBytes } from 'node:crypto'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { Problem, refusals, refuse } from '../../contract/problem.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import type { DeletionRequest } from '../../kinds/provision/deletion-request.ts'
import { type DeployRequest, deployRequestOf } from '../../kinds/provision/deploy-request.ts'
import { withRetrier } from '../../kinds/provision/edited-by.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { type Deployable, type DraftModel, withEdit, withoutPending, withRequest } from '../../kinds/provision/draft.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { ProvisionState } from '../../kinds/provision/state.ts'
import type { Resource } from '../../kinds/meta/resource.ts'
import type { RecordStore } from './record-store.ts'
import { refuseInvalid } from './refuse-invalid.ts'
import { refuseTooLarge } from './refuse-too-large.ts'

type Recorded = KubeObject & { spec: object }

/** The word for the kind in a refusal: `database`, `bucket`. */
export type Noun = 'database' | 'logical database' | 'bucket'

export const notFound = (noun: Noun): Problem => new Problem('not_found', `${noun} not found`)

/** Throws Problem not_found for an undefined record. */
export function found<T>(noun: Noun, record: T | undefined): T {
  if (record === undefined) throw notFound(noun)
  return record
}

/** Repeats `work` on the live record when it was refused by a cached one that is outdated. */
export async function refusedLive<T extends KubeObject, Result>(
  store: RecordStore<T>,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const known = store.cache.get(name, systemNamespace)?.metadata.resourceVersion
  try {
    return await work()
  } catch (refusal) {
    if (!(refusal instanceof Problem)) throw refusal
    const live = await store.readLive(name)
    if (live?.metadata.resourceVersion === known) throw refusal
    return await work()
  }
}

/**
 * One conditional write. After a conflict `change` runs again on the newest record, so edits of different fields merge.
 * Nothing is written when nothing changes. Throws Problem not_found, invalid_request.
 */
export async function editRecord<T extends Recorded>(
  store: RecordStore<T>,
  noun: Noun,
  name: string,
  change: (record: T) => T,
  ifMatch?: string,
): Promise<T> {
  const decide = (record: T): T | undefined => {
    if (record.metadata.deletionTimestamp !== undefined) throw refuse(`the ${noun} is being deleted`)
    const wanted = change(record)
    refuseTooLarge(wanted.spec)
    return canonical([wanted.spec, wanted.metadata]) === canonical([record.spec, record.metadata]) ? undefined : wanted
  }
  const saved = await refusedLive(store, name, () => store.edit(name, decide, ifMatch)).catch(refuseInvalid)
  if (saved === undefined) throw notFound(noun)
  return saved
}

/**
 * Replaces the saved spec by the deployed one, in one conditional write; live settings stay as they are. Throws Problem
 * not_found, invalid_request.
 */
export const discardChanges = <Spec extends Deployable, T extends Resource<Spec, unknown> & KubeObject>(
  store: RecordStore<T>,
  model: DraftModel<Spec>,
  noun: Noun,
  name: string,
  ifMatch?: string,
): Promise<T> =>
  editRecord<T>(store, noun, name, (record) => withEdit(model, record, withoutPending(model, record, noun)), ifMatch)

/** Who asks for a deploy; `mintDeployRequest` adds the rest. */
export interface Asked {
  actor: string
  requestId: string
}

/** A fresh deploy request, minted once for each call. */
export const mintDeployRequest = ({ actor, requestId }: Asked, now: Date): DeployRequest => ({
  id: randomBytes(6).toString('hex'),
  actor,
  requestId,
  at: now.toISOString(),
})

/**
 * Deploys the saved spec, in one conditional write: enabled, nothing pending, last-deployed and the deploy request. A
 * repeated write whose answer was lost is recognised by the request's id. Throws Problem not_found, invalid_request.
 */
export async function deployRecord<Spec extends Deployable, T extends Resource<Spec, unknown> & KubeObject>(
  store: RecordStore<T>,
  noun: Noun,
  name: string,
  request: DeployRequest,
  refuseUndeployable: (record: T) => void,
  ifMatch?: string,
): Promise<T> {
  return editRecord(
    store,
    noun,
    name,
    (record) => {
      if (deployRequestOf(record)?.id === request.id) return record
      refuseUndeployable(record)
      return withRequest<Spec, T>(record, request)
    },
    ifMatch,
  )
}

/**
 * Retries a failed provisioning: writes a new token into the record, and who asked. Throws Problem unless the state is
 * failed.
 */
export async function retryRecord<T extends Recorded>(
  store: RecordStore<T>,
  noun: Noun,
  name: string,
  stateOf: (record: T) => ProvisionState,
  actor: string,
  ifMatch?: string,
): Promise<T> {
  const token = randomBytes(6).toString('hex')
  return editRecord(
    store,
    noun,
    name,
    (record) => {
      if (record.metadata.annotations?.[annotations.retry] === token) return record
      const { state } = stateOf(record)
      if (state !== 'failed') throw refuse(`only a failed deploy can be retried; this ${noun} is ${state}`)
      const { annotations: notes } = record.metadata
      const retried = { ...record.metadata, annotations: { ...notes, [annotations.retry]: token } }
      return { ...record, metadata: withRetrier(retried, actor) }
    },
    ifMatch,
  )
}

/** What a deletion leaves out, and who asked for it. */
export interface HowDeleted {
  abandon?: boolean
  backupFirst?: boolean
  asked?: DeletionRequest
}

/**
 * Deletes the record; one without a finalizer is gone at once. Harmless to repeat. Throws Problem invalid_request when
 * `confirmName` is not the exact name.
 */
export async function removeRecord<T extends KubeObject>(
  store: RecordStore<T>,
  noun: Noun,
  record: T,
  confirmName: string,
  asked?: DeletionRequest,
): Promise<void> {
  const { name, uid = '' } = record.metadata
  if (confirmName !== name) throw refuse(refusals.confirmation)
  if (!(await store.remove(name, uid, asked))) throw notFound(noun)
}
