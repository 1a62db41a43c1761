/** The difference between the spec that runs and the one that is saved, field by field. */
import { defined } from '../../contract/defined.ts'
import { canonical } from '../meta/digest.ts'
import type { Deployable, Draft, DraftModel } from './draft.ts'

/**
 * A field by its path, `source.image.image`; `before` or `after` is absent where that spec lacks the field. Values as
 * JSON.
 */
export interface FieldChange {
  field: string
  before?: unknown
  after?: unknown
}

/** Fields that the deploy itself sets. */
const ofDeploys = new Set(['deploy.enabled'])

/** Sorted by field; empty for a draft, and where the deployed spec is not known. */
export function fieldChanges<Spec extends Deployable>(
  model: DraftModel<Spec>,
  { lastDeployed, pendingChanges }: Pick<Draft<Spec>, 'lastDeployed' | 'pendingChanges'>,
  saved: Spec,
): FieldChange[] {
  if (lastDeployed === undefined || pendingChanges.length === 0) return []
  return specChanges(model.withLive(lastDeployed, saved), saved)
}

/** The fields in which two specs differ, sorted. */
export function specChanges(from: object, to: object): FieldChange[] {
  const before = leavesOf(from)
  const after = leavesOf(to)
  const fields = [...new Set([...before.keys(), ...after.keys()])].filter((field) => !ofDeploys.has(field)).toSorted()
  return fields.flatMap((field) => {
    const [was, is] = [before.get(field), after.get(field)]
    if (canonical(was) === canonical(is)) return []
    return [{ field, ...defined({ before: was, after: is }) }]
  })
}

/** Objects are walked into; lists are values. */
function leavesOf(value: unknown, path = '', leaves = new Map<string, unknown>()): Map<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [name, inner] of Object.entries(value)) leavesOf(inner, path === '' ? name : `${path}.${name}`, leaves)
  } else if (value !== undefined) leaves.set(path, value)
  return leaves
}
