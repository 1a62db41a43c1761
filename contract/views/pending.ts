/** What is saved and not deployed of a resource, and what a deploy would change in it. */
import { z } from 'zod'
import { pendingChanges, resourceStates } from '../fields/words.ts'
import { resourceKinds } from './resource.ts'

/** `before` is what runs, `after` what is saved; either is left out where there is none. Values are JSON. */
export const fieldChange = z.object({
  field: z.string().meta({ description: 'Path in the spec, such as source.image.image.' }),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
})

/** Secret variables have no values here: `secretsChanged` says that some were set or deleted. */
export const pendingDiffView = z.object({
  kind: z.enum(resourceKinds),
  name: z.string(),
  displayName: z.string(),
  state: z.enum(resourceStates),
  pending: z.array(z.enum(pendingChanges)),
  changes: z.array(fieldChange),
  secretsChanged: z.boolean(),
  /** Version of the record as it was read; `If-Match` of a write takes it. */
  version: z.string(),
})

export const pendingDiffsView = z.object({ items: z.array(pendingDiffView) })
