/** The state of databases, logical databases and buckets as callers see it: a pure function of the record. */
import type { ResourceState } from '../../contract/fields/words.ts'
import { annotations } from '../meta/annotations.ts'
import { readyOf } from '../meta/conditions.ts'
import { deployRequestOf } from './deploy-request.ts'
import { digest } from '../meta/digest.ts'
import type { ProvisionedKind } from '../meta/resource-types.ts'
import type { Condition, Resource } from '../meta/resource.ts'

/** The sections of a status that every provisioned kind has. */
export interface Reconciled {
  conditions?: Condition[] | undefined
  observedGeneration?: number | undefined
  observedIntent?: string | undefined
  acceptedIntent?: string | undefined
  /** The retry that a pass accepted last. */
  reconcileRetry?: { token?: string | undefined } | undefined
  /** Failed passes in a row of the retry `token`. */
  provision?:
    { token?: string | undefined; failures?: number | undefined; firstFailureAt?: string | undefined } | undefined
}

/** Messages of the Ready condition while a pass runs and has found nothing to wait for. */
export const passMessages = { provision: 'being set up', remove: 'being removed' } as const

/** Whether the Ready condition has what the record waits for, and not the first message of a pass. */
export function isAwaiting({ status }: Resource<unknown, Reconciled>): boolean {
  const ready = readyOf<ProvisionedKind>(status?.conditions)
  return ready?.reason === 'ReconcileError' && ready.message !== passMessages.provision
}

export interface ProvisionState {
  state: ResourceState
  /** Explains a pending or failed state; empty otherwise. */
  message: string
}

/**
 * The intent: a digest of uid, effective spec, deploy request, retry token and deletion; it differs from
 * `status.observedIntent` exactly while there is work. `effectiveSpec` is undefined for a draft.
 */
export function provisionIntent({ metadata }: Resource<unknown, unknown>, effectiveSpec: unknown): string {
  if (metadata.deletionTimestamp !== undefined) return digest([metadata.uid, 'deleted'])
  if (effectiveSpec === undefined) return digest([metadata.uid, 'draft'])
  return digest([
    metadata.uid,
    effectiveSpec,
    deployRequestOf({ metadata })?.id,
    metadata.annotations?.[annotations.retry],
  ])
}

/** Whether the Ready condition is about the removal: until a pass accepts the deletion, it is about the time before. */
export function isRemovalAccepted(record: Resource<unknown, Reconciled>): boolean {
  return (
    record.metadata.deletionTimestamp !== undefined &&
    record.status?.acceptedIntent === provisionIntent(record, undefined)
  )
}

/**
 * The order is deleting > draft > failed > pending > ready. Pending whenever the intent was not reconciled yet,
 * whatever the Ready condition says.
 */
export function provisionState(record: Resource<unknown, Reconciled>, effectiveSpec: unknown): ProvisionState {
  const { metadata, status } = record
  const ready = readyOf<ProvisionedKind>(status?.conditions)
  if (metadata.deletionTimestamp !== undefined) {
    return { state: 'deleting', message: isRemovalAccepted(record) ? (ready?.message ?? '') : '' }
  }
  if (effectiveSpec === undefined) return { state: 'draft', message: '' }
  const intent = provisionIntent(record, effectiveSpec)
  if (intent !== status?.observedIntent) {
    return {
      state: 'pending',
      message: intent === status?.acceptedIntent ? (ready?.message ?? '') : 'waiting for provisioning',
    }
  }
  if (ready?.status === 'True') return { state: 'ready', message: '' }
  return { state: ready?.reason === 'ProvisionFailed' ? 'failed' : 'pending', message: ready?.message ?? '' }
}
