/**
 * Which spec of a service, database or bucket is saved, which is deployed, what is pending and which spec is effective:
 * one model for all kinds, pure functions of the record. Each kind supplies its live settings and the words of its
 * changes.
 */
import type { z } from 'zod'
import { type PendingChange, pendingChanges } from '../../contract/fields/words.ts'
import { refuse } from '../../contract/problem.ts'
import { annotations } from '../meta/annotations.ts'
import type { DeployRequest } from './deploy-request.ts'
import { canonical } from '../meta/digest.ts'
import { parseAnnotation, type Parsed } from '../meta/parse-annotation.ts'
import type { Resource, ResourceMeta } from '../meta/resource.ts'

/** A spec that a deploy call puts in effect. */
export interface Deployable {
  deploy: { enabled: boolean }
}

export type { PendingChange }

/** The draft model of one kind. */
export interface DraftModel<Spec extends Deployable> {
  /** Parses the annotation with the last deployed spec. */
  schema: z.ZodType<Spec>
  /**
   * The spec `base` with the live settings of `live`, which apply without a deploy
   * (docs/reference/services.md#pending-changes).
   */
  withLive(base: Spec, live: Spec): Spec
  /** What a deploy of `wanted` would change where `deployed` runs: `settings`, `variables`, both or nothing. */
  changes(deployed: Spec, wanted: Spec): PendingChange[]
  /**
   * Whether an edit by kubectl of a record without pending changes takes effect at once. If false, such an edit becomes
   * a deploy first.
   */
  editsRun: boolean
  /** The specs of each version of a record that `draftOf` was asked for. */
  readonly known: WeakMap<object, Draft<Spec>>
}

/** Specs of one record. */
export interface Draft<Spec> {
  /**
   * What was changed since the last deploy: `created` for a record that was never deployed, empty when the saved spec
   * is deployed.
   */
  readonly pendingChanges: PendingChange[]
  /** The spec as last deployed; undefined for a record that never was, or when the annotation cannot be read. */
  readonly lastDeployed: Spec | undefined
  /**
   * The spec that should run: undefined for a draft; the last deployed spec with today's live settings while changes
   * are pending.
   */
  readonly effectiveSpec: Spec | undefined
  /**
   * Why the last deployed spec is not known while changes are pending: the objects are then left as they are until the
   * next deploy.
   */
  readonly unreadable: string | undefined
}

/** The model of a kind whose changes are all `settings`. */
export function settingsDraft<Spec extends Deployable>(
  schema: z.ZodType<Spec>,
  withLive: DraftModel<Spec>['withLive'],
): DraftModel<Spec> {
  const changes = (deployed: Spec, wanted: Spec): PendingChange[] =>
    canonical(withLive(deployed, wanted)) === canonical(wanted) ? [] : ['settings']
  return { schema, withLive, changes, editsRun: true, known: new WeakMap() }
}

/** What repairs an annotation that cannot be read, as the end of the message about it. */
export const deployAnew = 'what runs is left as it is; deploy to write it anew'

type Record<Spec> = Resource<Spec, unknown>

/** The pending changes that the annotation of a record of any kind lists. */
export function pendingChangesOf({ metadata }: { metadata: ResourceMeta }): PendingChange[] {
  const words = (metadata.annotations?.[annotations.pendingChanges] ?? '').split(',').map((word) => word.trim())
  return pendingChanges.filter((word) => words.includes(word))
}

/**
 * The specs of this version of the record; made once, since every rule asks for them and cached records are never
 * changed in place.
 */
export function draftOf<Spec extends Deployable>(model: DraftModel<Spec>, record: Record<Spec>): Draft<Spec> {
  const known = model.known.get(record)
  if (known !== undefined) return known
  const draft = makeDraft(model, record)
  model.known.set(record, draft)
  return draft
}

function makeDraft<Spec extends Deployable>(model: DraftModel<Spec>, { metadata, spec }: Record<Spec>): Draft<Spec> {
  const pending = pendingChangesOf({ metadata })
  const { enabled } = spec.deploy
  let parsed: Parsed<Spec> | undefined
  /** Parsed on first use: a record without pending changes does not need it. */
  const deployed = (): Parsed<Spec> => (parsed ??= parseDeployed(model, metadata))
  // A record that is enabled while its annotation has `created` was enabled with kubectl, and asks for its first
  // deploy.
  const isChanged = enabled && pending.length > 0 && !pending.includes('created')
  const { value, unreadable } = isChanged ? deployed() : {}
  return {
    pendingChanges: pending,
    get lastDeployed() {
      return deployed().value
    },
    effectiveSpec: !enabled ? undefined : value === undefined ? spec : model.withLive(value, spec),
    unreadable:
      isChanged && value === undefined
        ? (unreadable ?? `the annotation ${annotations.lastDeployed} is missing`)
        : undefined,
  }
}

/**
 * An annotation of `{}` would parse into a spec of defaults, so `deploy.enabled` has to be in it: every deployed spec
 * has it.
 */
function parseDeployed<Spec extends Deployable>({ schema }: DraftModel<Spec>, metadata: ResourceMeta): Parsed<Spec> {
  const parsed = parseAnnotation(metadata, annotations.lastDeployed, schema)
  if (parsed.value?.deploy.enabled !== false) return parsed
  return { unreadable: `the annotation ${annotations.lastDeployed} cannot be read: deploy.enabled is not true` }
}

/**
 * The record after an edit of its spec. Pending changes are computed anew, so that an edit back to the deployed spec
 * clears them; the spec that runs is kept as last deployed unless the record has it already. `also` are changes that no
 * spec shows.
 */
export function withEdit<Spec extends Deployable, T extends Record<Spec>>(
  model: DraftModel<Spec>,
  record: T,
  spec: Spec,
  also: readonly PendingChange[] = [],
): T {
  const { [annotations.pendingChanges]: _, ...notes } = record.metadata.annotations ?? {}
  const { enabled } = record.spec.deploy
  const before = draftOf(model, record)
  const kept = model.editsRun && before.pendingChanges.length === 0 ? undefined : before.lastDeployed
  const changed = [...model.changes(enabled ? (kept ?? record.spec) : record.spec, spec), ...also]
  // While the deployed spec is not known, the pending words stay. A draft has the word `created`, and `variables`
  // beside it where they changed.
  const found =
    before.unreadable !== undefined
      ? [...changed, ...before.pendingChanges]
      : enabled
        ? changed
        : ['created', ...[...changed, ...before.pendingChanges].filter((word) => word === 'variables')]
  const words = pendingChanges.filter((word) => found.includes(word))
  return annotated(record, spec, {
    ...notes,
    ...(enabled && words.length > 0 && kept === undefined && before.unreadable === undefined
      ? { [annotations.lastDeployed]: JSON.stringify(record.spec) }
      : {}),
    ...pendingNote(words),
  })
}

/**
 * The spec after the pending changes are discarded: the last deployed one with today's live settings; `deploy.enabled`
 * stays, so a record undeployed with kubectl remains so. Throws Problem invalid_request where nothing was deployed yet,
 * or the deployed spec is not known. `noun` is the word for the record in the refusal.
 */
export function withoutPending<Spec extends Deployable>(
  model: DraftModel<Spec>,
  record: Record<Spec>,
  noun: string,
): Spec {
  const { pendingChanges: words, lastDeployed, unreadable } = draftOf(model, record)
  if (words.length === 0) return record.spec
  if (unreadable !== undefined) throw refuse(`${unreadable}; ${deployAnew}`)
  if (lastDeployed === undefined) throw refuse(`nothing was deployed yet; delete the ${noun} to discard its draft`)
  const spec = model.withLive(lastDeployed, record.spec)
  return { ...spec, deploy: { ...spec.deploy, enabled: record.spec.deploy.enabled } }
}

/** What a deploy writes into a record. */
export interface Deployed<Spec> {
  /** The spec that is saved. */
  spec: Spec
  /** The part of the saved spec that is deployed. */
  deployed: Spec
  /** What stays pending. */
  pending: readonly PendingChange[]
  /** Who asked for the deploy, and when: annotation `svc.dev/attempt`. */
  attempt: object
}

/** The record as the write of an accepted deploy leaves it. */
export function withDeployed<Spec extends Deployable, T extends Record<Spec>>(
  record: T,
  { spec, deployed, pending, attempt }: Deployed<Spec>,
): T {
  const { [annotations.pendingChanges]: _, [annotations.editedBy]: __, ...notes } = record.metadata.annotations ?? {}
  return annotated(record, spec, {
    ...notes,
    ...pendingNote(pending),
    [annotations.lastDeployed]: JSON.stringify(deployed),
    [annotations.attempt]: JSON.stringify(attempt),
  })
}

/** The record with a deploy of the whole saved spec accepted. */
export function withRequest<Spec extends Deployable, T extends Record<Spec>>(record: T, request: DeployRequest): T {
  const spec = withEnabled(record.spec)
  return withDeployed(record, { spec, deployed: spec, pending: [], attempt: request })
}

/** The spec with `deploy.enabled` set, as a deploy leaves it. */
export function withEnabled<Spec extends Deployable>(spec: Spec): Spec {
  return { ...spec, deploy: { ...spec.deploy, enabled: true } }
}

const pendingNote = (words: readonly PendingChange[]) =>
  words.length === 0 ? {} : { [annotations.pendingChanges]: words.join(',') }

function annotated<Spec, T extends Record<Spec>>(
  record: T,
  spec: Spec,
  notes: ResourceMeta['annotations'] & object,
): T {
  return { ...record, metadata: { ...record.metadata, annotations: notes }, spec }
}
