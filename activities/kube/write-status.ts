/**
 * Writes the status of a record. The write has the record's version as its condition, and is skipped if it would change
 * nothing. This file alone makes conditions, so that every kind has the same shape of state.
 */
import { channel } from 'node:diagnostics_channel'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ResourceType } from '../../cluster/objects/resource-type.ts'
import type { App, AppStatus } from '../../kinds/apps/kind.ts'
import { keepView } from '../../kinds/apps/view.ts'
import { messageMax } from '../../kinds/meta/bounds.ts'
import type {
  ConditionedKind,
  ConditionReason,
  ConditionType,
  ReadyKind,
  ReadyReason,
} from '../../kinds/meta/condition-reasons.ts'
import type { Verdict } from '../../kinds/meta/conditions.ts'
import { cut } from '../../kinds/meta/cut.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Condition } from '../../kinds/meta/resource.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { RecordStore } from '../../records/store/record-store.ts'
import type { ActivityNeeds } from '../context/needs.ts'

/** The outcome of a status write. */
export type StatusOutcome = 'written' | 'skipped'

/** A channel of Node's own: without a listener publishing costs nothing. */
const outcomes = channel('svc:status')

/** Subscribes to the outcomes of status writes, for metrics. */
export function onStatus(listener: (outcome: StatusOutcome) => void): void {
  outcomes.subscribe((outcome) => listener(outcome as StatusOutcome)) // publish alone publishes
}

/** Sections of a status to write: null removes a section, undefined leaves it unchanged. */
export type StatusChange<Status> = { [Section in keyof Status]?: Status[Section] | null | undefined }

/**
 * Sets the given sections of the status, each as a whole; throws a conflict if the record has changed since it was
 * read.
 */
export async function writeStatus<T extends KubeObject & { status?: object }>(
  client: ClusterClient,
  store: RecordStore<T> | undefined,
  type: ResourceType,
  record: T,
  sections: StatusChange<NonNullable<T['status']>>,
): Promise<T> {
  const before = new Map<string, unknown>(Object.entries(record.status ?? {}))
  const change = Object.entries(sections).filter(([, value]) => value !== undefined)
  const status = replacing(before, change)
  if (changesNothing(before, change)) {
    outcomes.publish('skipped' satisfies StatusOutcome)
    return record
  }
  const { name, uid, resourceVersion } = record.metadata
  const written = await client.patch<T>(
    { type, namespace: systemNamespace, name },
    { metadata: { uid, resourceVersion }, status },
    { subresource: 'status' },
  )
  outcomes.publish('written' satisfies StatusOutcome)
  store?.cache.put(written)
  return written
}

/** Writes the status of a service; its Ready condition is written only here. Resolves with the written record. */
export async function writeAppStatus(
  needs: ActivityNeeds,
  app: App,
  verdict: Verdict<ReadyReason<'app'>>,
  change: StatusChange<AppStatus> = {},
): Promise<App> {
  const conditions = withReady<'app'>(app, verdict, needs.now())
  const written = await writeStatus(needs.client, needs.apps, resourceTypes.app, app, { ...change, conditions })
  keepView(app, written)
  return written
}

/**
 * Whether the sections are stored so already. Most changes show in a plain value, which is compared without making
 * texts of both.
 */
function changesNothing(before: ReadonlyMap<string, unknown>, change: readonly [string, unknown][]): boolean {
  const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)
  if (change.some(([section, value]) => isPlain(value) && value !== before.get(section))) return false
  const stored = change.map(([section]) => before.get(section))
  const wanted = change.map(([, value]) => value)
  return canonical(stored) === canonical(wanted)
}

/** A merge patch keeps the fields of a section that it does not name, so removed fields are set to null. */
function replacing(before: ReadonlyMap<string, unknown>, change: [string, unknown][]): Record<string, unknown> {
  return Object.fromEntries(
    change.map(([section, value]) => {
      const known = before.get(section)
      if (!isSection(value) || !isSection(known)) return [section, value]
      const gone = Object.keys(known).filter((field) => !(field in value))
      return [section, { ...value, ...Object.fromEntries(gone.map((field) => [field, null])) }]
    }),
  )
}

function isSection(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a condition is made from: the record that has it. */
interface Conditioned {
  metadata: { generation?: number }
  status?: { conditions?: readonly Condition[] | undefined } | undefined
}

/**
 * The conditions of the record with `Ready` set to the verdict; lastTransitionTime changes only when the status flips.
 * The kind must be given, `withReady<'app'>(...)`: without it no reason compiles.
 */
export function withReady<Kind extends ReadyKind = never>(
  record: Conditioned,
  verdict: Verdict<NoInfer<ReadyReason<Kind>>>,
  now: Date,
): Condition[] {
  return withCondition('Ready', record, verdict, now)
}

/** As `withReady`, for a condition of another type. */
export function withCondition<Type extends ConditionType>(
  type: Type,
  { metadata: { generation }, status: { conditions = [] } = {} }: Conditioned,
  verdict: Verdict<ConditionReason<ConditionedKind, NoInfer<Type>>>,
  now: Date,
): Condition[] {
  const at = conditions.findIndex((condition) => condition.type === type)
  const before = conditions[at]
  const status = verdict.ready ? 'True' : 'False'
  const said: Condition<ConditionReason> = {
    type,
    status,
    reason: verdict.reason,
    message: fitting(verdict.message),
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : now.toISOString(),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  }
  // The condition keeps its position, so that the same verdict again changes nothing.
  return before === undefined ? [...conditions, said] : conditions.with(at, said)
}

/** Whether the condition has this message already, cut as conditions are. */
export function says(condition: Condition | undefined, message: string): boolean {
  return condition?.message === fitting(message)
}

/**
 * A refusal of the API server may be longer than the CRD allows for a message, and then no status could be written.
 * Most messages fit: they stay on the short way of a look (test/rules/look-path.test.ts).
 */
const fitting = (message: string): string => (message.length <= messageMax ? message : cut(message, messageMax))
