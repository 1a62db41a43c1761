/**
 * What of a service, database or bucket is saved, what is deployed, what is pending and what is in effect: one model
 * for all kinds, pure functions of the record. A kind says which settings are live, and which words its changes have.
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

/** How a kind drafts. */
export interface DraftModel<Spec extends Deployable> {
  /** Reads what was deployed back from its annotation. */
  schema: z.ZodType<Spec>
  /**
   * The first spec with the live settings of the second: what applies at once
   * (docs/reference/services.md#pending-changes).
   */
  withLive(base: Spec, live: Spec): Spec
  /** What a deploy of `wanted` would change where `deployed` runs: `settings`, `variables`, both or nothing. */
  changes(deployed: Spec, wanted: Spec): PendingChange[]
  /**
   * Whether an edit by kubectl runs at once where nothing is pending; else it becomes a deploy, and runs after that.
   */
  editsRun: boolean
}

/** Specs of one record. */
export interface Draft<Spec> {
  /**
   * What was changed since the last deploy; `created` for what was never deployed; empty when all that is saved is
   * deployed.
   */
  readonly pendingChanges: PendingChange[]
  /** The spec as last deployed; undefined for what never was, or when the annotation cannot be read. */
  readonly lastDeployed: Spec | undefined
  /**
   * What should run: undefined for a draft, the last deployed spec with today's live settings while changes are
   * pending.
   */
  readonly effectiveSpec: Spec | undefined
  /**
   * Why what was deployed is not known while changes are pending: what runs is left as it is until the next deploy.
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
  return { schema, withLive, changes, editsRun: true }
}

/** What repairs an annotation that cannot be read, as the end of the sentence that says so. */
export const deployAnew = 'what runs is left as it is; deploy to write it anew'

type Record<Spec> = Resource<Spec, unknown>

/** The words of a record of any kind. */
export function pendingChangesOf({ metadata }: { metadata: ResourceMeta }): PendingChange[] {
  const words = (metadata.annotations?.[annotations.pendingChanges] ?? '').split(',').map((word) => word.trim())
  return pendingChanges.filter((word) => words.includes(word))
}

export function draftOf<Spec extends Deployable>(
  model: DraftModel<Spec>,
  { metadata, spec }: Record<Spec>,
): Draft<Spec> {
  const pending = pendingChangesOf({ metadata })
  const { enabled } = spec.deploy
  let parsed: Parsed<Spec> | undefined
  /** Parsed when it is asked for: at rest it is not. */
  const deployed = (): Parsed<Spec> => (parsed ??= parseDeployed(model, metadata))
  // One that was created and is enabled was never deployed: that edit of kubectl asks for its first deploy.
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

/** Defaults of the schema would make a deployed spec of `{}`: what was deployed says so itself. */
function parseDeployed<Spec extends Deployable>({ schema }: DraftModel<Spec>, metadata: ResourceMeta): Parsed<Spec> {
  const parsed = parseAnnotation(metadata, annotations.lastDeployed, schema)
  if (parsed.value?.deploy.enabled !== false) return parsed
  return { unreadable: `the annotation ${annotations.lastDeployed} cannot be read: deploy.enabled is not true` }
}

/**
 * The record with another spec: pending changes are counted anew, so that an edit that brings everything back clears
 * its word, and what runs is kept as last deployed where the record does not say it yet. `also` are changes that no
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
  // Where what runs is not known, pending words stay. A draft has the word created, and variables beside it where they
  // changed.
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
 * The spec once what is pending is discarded: the deployed one, with today's live settings; what was undeployed by
 * kubectl stays so. Throws Problem invalid_request where nothing was deployed yet, and where what was deployed is not
 * known. `noun` is what the refusal calls the record.
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
  /** What is saved. */
  spec: Spec
  /** What is deployed of it. */
  deployed: Spec
  /** What stays pending. */
  pending: readonly PendingChange[]
  /** Who asked for it when: annotation `svc.dev/attempt`. */
  attempt: object
}

/** The record as an accepted deploy leaves it. */
export function withDeployed<Spec extends Deployable, T extends Record<Spec>>(
  record: T,
  { spec, deployed, pending, attempt }: Deployed<Spec>,
): T {
  const { [annotations.pendingChanges]: _, ...notes } = record.metadata.annotations ?? {}
  return annotated(record, spec, {
    ...notes,
    ...pendingNote(pending),
    [annotations.lastDeployed]: JSON.stringify(deployed),
    [annotations.attempt]: JSON.stringify(attempt),
  })
}

/** The record with all that is saved deployed. */
export function withRequest<Spec extends Deployable, T extends Record<Spec>>(record: T, request: DeployRequest): T {
  const spec = withEnabled(record.spec)
  return withDeployed(record, { spec, deployed: spec, pending: [], attempt: request })
}

/** The spec with the word that a deploy sets in it. */
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
