/**
 * The next action for the record of a database, a logical database or a bucket: the one decision that the watch, the
 * workflow and the resync share.
 */
import { annotations } from '../meta/annotations.ts'
import { readyOf } from '../meta/conditions.ts'
import { deletedBy } from './deletion-request.ts'
import { deployRequestOf } from './deploy-request.ts'
import { editedBy } from './edited-by.ts'
import { provisionIntent, type Reconciled } from './state.ts'
import type { ProvisionedKind } from '../meta/resource-types.ts'
import type { Resource } from '../meta/resource.ts'
import { actor as actorText } from '../schema/fields.ts'

export type ProvisionAction =
  /** Nothing to do. */
  | 'rest'
  /** A draft: nothing is provisioned, and the status does not show that yet. */
  | 'draft'
  /** The intent has not been reconciled. */
  | 'provision'
  | 'remove'

/** What a workflow needs to know of a record to act on it; plain and small, since it enters the history. */
export interface ProvisionPlan {
  /** The action. This name and `mends` stay: recorded histories hold them. */
  story: ProvisionAction
  /** At rest: whether a pass checks for drift, since a wake may mean that an object of the record is missing. */
  mends: boolean
  name: string
  uid: string
  intent: string
  /** Which steps a pass takes, where the kind has more than one way; '' otherwise. */
  variant: string
  operation: string
  project: string
  environment: string
  actor: string
}

/** A record that is reconciled in passes: of a project, or of an environment in it. */
export type ReconciledRecord = Resource<{ project: string; environment?: string }, Reconciled>

/** A record in an environment, or of the whole cluster. */
export type Provisioned = Resource<{ project: string; environment: string }, Reconciled>

/** How the provisioned kinds differ. */
export interface ProvisionRules<T> {
  /** The spec that should be there; undefined for a draft. */
  effectiveSpec: (record: T) => object | undefined
  /** Why that spec is not known: what was made is left as it is until the next deploy. */
  unreadable?: (record: T) => string | undefined
  /** What holds the record until everything made for it is gone; undefined where nothing has to be taken down. */
  finalizer: (record: T) => string | undefined
  variant: (record: T) => string
  /** Who asked for a record that carries no deploy request; '' is svc itself, undefined is kubectl. */
  askedBy?: (record: T) => string | undefined
  /**
   * Whether a draft that never was provisioned says that it waits for its deploy
   * (docs/reference/object-stores.md#ready-condition).
   */
  reportsDrafts: boolean
}

/** Who asked for a record without a deploy request, as the api wrote it; kubectl can write anything there. */
export const askedByIn = ({ metadata }: { metadata: { annotations?: Record<string, string> } }): string | undefined =>
  actorText.safeParse(metadata.annotations?.[annotations.askedBy]).data

/** The plan of what a name stands for now, gone or not. */
export function provisionPlan<T extends ReconciledRecord>(
  rules: ProvisionRules<T>,
  name: string,
  record: T | undefined,
): ProvisionPlan {
  if (record === undefined) {
    return {
      story: 'rest',
      mends: false,
      name,
      uid: '',
      intent: '',
      variant: '',
      operation: '',
      project: '',
      environment: '',
      actor: '',
    }
  }
  const { metadata, spec, status } = record
  const effectiveSpec = rules.effectiveSpec(record)
  const intent = provisionIntent(record, effectiveSpec)
  const story = nextAction(rules, record, effectiveSpec, intent)
  const token = metadata.annotations?.[annotations.retry] ?? ''
  const retried = token !== '' && token !== status?.reconcileRetry?.token
  const actor = editedBy(metadata) ?? deployRequestOf(record)?.actor ?? rules.askedBy?.(record)
  return {
    story,
    mends:
      story === 'rest' &&
      effectiveSpec !== undefined &&
      metadata.deletionTimestamp === undefined &&
      readyOf<ProvisionedKind>(status?.conditions)?.reason !== 'ProvisionFailed',
    name,
    uid: metadata.uid ?? '',
    intent,
    variant: rules.variant(record),
    operation:
      story === 'provision' ? (retried ? 'retry-provision' : actor === undefined ? 'kubectl' : 'deploy') : story,
    project: spec.project,
    environment: spec.environment ?? '',
    actor: story === 'provision' ? (actor ?? 'kubectl') : story === 'remove' ? deletedBy(metadata) : '',
  }
}

function nextAction<T extends ReconciledRecord>(
  rules: ProvisionRules<T>,
  record: T,
  effectiveSpec: object | undefined,
  intent: string,
): ProvisionAction {
  const { metadata, status } = record
  if (metadata.deletionTimestamp !== undefined) {
    const held = rules.finalizer(record)
    return held !== undefined && metadata.finalizers?.includes(held) === true ? 'remove' : 'rest'
  }
  if (intent === status?.observedIntent) return 'rest'
  if (effectiveSpec !== undefined) return 'provision'
  return rules.reportsDrafts || status?.acceptedIntent !== undefined || status?.observedIntent !== undefined
    ? 'draft'
    : 'rest'
}

/** Whether no pass has accepted it yet. */
export function isNotAccepted(plan: ProvisionPlan, { status }: ReconciledRecord): boolean {
  return plan.story !== 'rest' && plan.intent !== status?.acceptedIntent
}

/** Neither ready nor failed: it goes on, or waits for something. */
export function isReconciling(plan: ProvisionPlan, { status }: ReconciledRecord): boolean {
  return plan.story !== 'rest' || (plan.mends && readyOf(status?.conditions)?.status !== 'True')
}
