/** The context of the shared activities of provisioning: the records and the rules of one kind. */
import type { ResourceType } from '../../cluster/objects/resource-type.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ReadyReason } from '../../kinds/meta/condition-reasons.ts'
import type { ProvisionedKind } from '../../kinds/meta/resource-types.ts'
import type { Verdict } from '../../kinds/meta/conditions.ts'
import {
  type ReconciledRecord,
  type ProvisionPlan,
  provisionPlan,
  type ProvisionRules,
} from '../../kinds/provision/plan.ts'
import type { RecordStore } from '../../records/store/record-store.ts'
import { onFreshRecord } from '../../records/store/retry.ts'
import { withReady, writeStatus } from '../kube/write-status.ts'

export interface ProvisionContext<T extends ReconciledRecord & KubeObject> {
  client: ClusterClient
  store: RecordStore<T>
  type: ResourceType
  rules: ProvisionRules<T>
  now: () => Date
}

/** The record of a step, and the intent that it had when the pass began. */
export interface StepInput {
  name: string
  uid: string
  intent: string
}

export interface StepResult {
  /** `changed`: the intent of the record has changed, or the record is gone. */
  outcome: 'done' | 'waiting' | 'failing' | 'permanent' | 'changed'
  /** The cause of the wait or of the failure; what is ready now, of the step that says so; '' of other steps. */
  message: string
  /** Failing passes in a row, this one included; and when the first of them was, in milliseconds since 1970. */
  failures: number
  failingSince: number
  /**
   * Milliseconds since `failingSince`, by the cluster's clock, which may differ from Temporal's. Missing in histories
   * of earlier releases.
   */
  failingForMs?: number
  plan: ProvisionPlan
}

/**
 * Runs work on the live record, and again after a conflict; a record whose intent is no longer that of the pass is left
 * unchanged.
 */
export function onAskedRecord<T extends ReconciledRecord & KubeObject>(
  context: ProvisionContext<T>,
  { name, uid, intent }: StepInput,
  work: (record: T, plan: ProvisionPlan) => Promise<StepResult>,
): Promise<StepResult> {
  const changed = (record: T | undefined): StepResult => ({
    ...result(provisionPlan(context.rules, name, record)),
    outcome: 'changed',
  })
  return onFreshRecord(
    context.store,
    name,
    uid,
    (record) => {
      const plan = provisionPlan(context.rules, name, record)
      return plan.intent === intent ? work(record, plan) : Promise.resolve(changed(record))
    },
    changed,
  )
}

/** The result of a step that is done. */
export function result(plan: ProvisionPlan): StepResult {
  return { outcome: 'done', message: '', failures: 0, failingSince: 0, plan }
}

/** Writes the status of a record; every action uses it, so that the Ready condition is built in one place. */
export async function writeProvisionStatus<T extends ReconciledRecord & KubeObject>(
  { client, store, type, now }: ProvisionContext<T>,
  record: T,
  verdict: Verdict<ReadyReason<ProvisionedKind>>,
  change: Partial<NonNullable<T['status']>> = {},
): Promise<T> {
  const conditions = withReady<ProvisionedKind>(record, verdict, now())
  return writeStatus(client, store, type, record, {
    conditions,
    observedGeneration: record.metadata.generation,
    ...change,
  })
}
