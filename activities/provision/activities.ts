/** The activities that begin and end provisioning: acceptance, ready or failed, draft status, finalizer. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import type { ReadyReason } from '../../kinds/meta/condition-reasons.ts'
import type { ProvisionedKind } from '../../kinds/meta/resource-types.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { type ReconciledRecord, type ProvisionPlan, provisionPlan } from '../../kinds/provision/plan.ts'
import { unreadableRequest } from '../../kinds/provision/deploy-request.ts'
import { passMessages } from '../../kinds/provision/state.ts'
import { onFreshRecord } from '../../records/store/retry.ts'
import { recordEvent } from '../kube/event.ts'
import {
  onAskedRecord,
  type ProvisionContext,
  result,
  type StepInput,
  type StepResult,
  writeProvisionStatus,
} from './context.ts'

/** The Ready condition and the status sections of a kind once it is provisioned. */
export interface Finished<T extends ReconciledRecord, Kind extends ProvisionedKind> {
  reason: ReadyReason<Kind>
  message: string
  status: Partial<NonNullable<T['status']>>
}

/** The plan of the live record. */
export function readPlan<T extends ReconciledRecord & KubeObject>({
  store,
  rules,
}: ProvisionContext<T>): (input: { name: string }) => Promise<ProvisionPlan> {
  return async ({ name }) => provisionPlan(rules, name, await store.readLive(name))
}

/**
 * Adds the finalizer, and writes to the status that the intent is accepted. An Event names a deploy request that cannot
 * be read: what it asked for beside the spec is not known.
 */
export function markAccepted<T extends ReconciledRecord & KubeObject>(
  context: ProvisionContext<T>,
): (input: StepInput) => Promise<StepResult> {
  return (input) =>
    onAskedRecord(context, input, async (record, plan) => {
      if (plan.story !== 'provision' && plan.story !== 'remove') return { ...result(plan), outcome: 'changed' }
      const held = plan.story === 'remove' ? record : await withFinalizer(context, record)
      if (held.status?.acceptedIntent === plan.intent) return result(plan)
      const unreadable = plan.story === 'provision' ? unreadableRequest(held) : undefined
      if (unreadable !== undefined)
        await recordEvent(
          context.client,
          held,
          {
            type: 'Warning',
            reason: 'RequestUnreadable',
            message: `${unreadable}; it goes on as an edit by kubectl`,
            occurrence: plan.intent,
          },
          context.now(),
        )
      const message = passMessages[plan.story]
      const token = held.metadata.annotations?.[annotations.retry] ?? ''
      const taken = await writeProvisionStatus(
        context,
        held,
        { ready: false, reason: 'ReconcileError', message },
        {
          acceptedIntent: plan.intent,
          reconcileRetry: { token },
          provision: { token },
        },
      )
      return result(provisionPlan(context.rules, input.name, taken))
    })
}

/** Adds the finalizer: without it a deletion would leave the record's objects behind. */
async function withFinalizer<T extends ReconciledRecord & KubeObject>(
  { store, rules }: ProvisionContext<T>,
  record: T,
): Promise<T> {
  const finalizer = rules.finalizer(record)
  if (finalizer === undefined || record.metadata.finalizers?.includes(finalizer) === true) return record
  const held = await store.edit(record.metadata.name, (current) =>
    current.metadata.uid !== record.metadata.uid ||
    current.metadata.deletionTimestamp !== undefined ||
    current.metadata.finalizers?.includes(finalizer) === true
      ? undefined
      : {
          ...current,
          metadata: { ...current.metadata, finalizers: [...(current.metadata.finalizers ?? []), finalizer] },
        },
  )
  return held ?? record
}

/** Marks the record ready, with an Event if it was not ready before. */
export function markReady<T extends ReconciledRecord & KubeObject, Kind extends ProvisionedKind = never>(
  context: ProvisionContext<T>,
  finished: (record: T) => NoInfer<Finished<T, Kind>>,
): (input: StepInput) => Promise<StepResult> {
  return (input) =>
    onAskedRecord(context, input, async (record, plan) => {
      if (plan.story !== 'provision' && !plan.mends) return { ...result(plan), outcome: 'changed' }
      const { reason, message, status } = finished(record)
      if (readyOf(record.status?.conditions)?.status !== 'True') {
        await recordEvent(
          context.client,
          record,
          { type: 'Normal', reason, message, occurrence: `${plan.intent} ${record.metadata.resourceVersion ?? ''}` },
          context.now(),
        )
      }
      const token = record.metadata.annotations?.[annotations.retry] ?? ''
      const written = await writeProvisionStatus(
        context,
        record,
        { ready: true, reason, message },
        {
          ...status,
          observedIntent: plan.intent,
          provision: { token },
        },
      )
      return { ...result(provisionPlan(context.rules, input.name, written)), message }
    })
}

/** Marks the record failed: no pass follows until its intent changes, or a retry is requested. */
export function markFailed<T extends ReconciledRecord & KubeObject>(
  context: ProvisionContext<T>,
): (input: StepInput & { message: string }) => Promise<ProvisionPlan> {
  return async (input) => {
    const { plan } = await onAskedRecord(context, input, async (record, asked) => {
      const { message } = input
      await recordEvent(
        context.client,
        record,
        { type: 'Warning', reason: 'ProvisionFailed', message, occurrence: asked.intent },
        context.now(),
      )
      const written = await writeProvisionStatus(
        context,
        record,
        { ready: false, reason: 'ProvisionFailed', message },
        {
          observedIntent: asked.intent,
        },
      )
      return result(provisionPlan(context.rules, input.name, written))
    })
    return plan
  }
}

/** Writes the condition of a draft, which waits for its deploy (docs/reference/object-stores.md#ready-condition). */
export function writeDraftStatus<T extends ReconciledRecord & KubeObject>(
  context: ProvisionContext<T>,
): (input: StepInput) => Promise<ProvisionPlan> {
  return async (input) => {
    const { plan } = await onAskedRecord(context, input, async (record, asked) => {
      const verdict = {
        ready: false,
        reason: 'ReconcileError' as const,
        message: 'Resource is configured and waiting for deployment',
      }
      const written = await writeProvisionStatus(context, record, verdict, {
        observedIntent: asked.intent,
        acceptedIntent: asked.intent,
      })
      return result(provisionPlan(context.rules, input.name, written))
    })
    return plan
  }
}

/** Removes the finalizer of a deleted record, once all its objects are gone. */
export function removeFinalizer<T extends ReconciledRecord & KubeObject>({
  store,
  rules,
}: ProvisionContext<T>): (input: StepInput) => Promise<ProvisionPlan> {
  return ({ name, uid }) =>
    onFreshRecord(
      store,
      name,
      uid,
      async (record) => {
        const finalizer = rules.finalizer(record)
        if (record.metadata.deletionTimestamp === undefined || finalizer === undefined)
          return provisionPlan(rules, name, record)
        await store.edit(name, (current) =>
          current.metadata.uid !== uid
            ? undefined
            : {
                ...current,
                metadata: {
                  ...current.metadata,
                  finalizers: (current.metadata.finalizers ?? []).filter((entry) => entry !== finalizer),
                },
              },
        )
        return provisionPlan(rules, name, await store.readLive(name))
      },
      (other) => provisionPlan(rules, name, other),
    )
}
