/** The shapes that every kind of resource shares: the summary of a list and the detail of one. */
import { z } from 'zod'
import { resourceStates } from '../fields/words.ts'

export const resourceKinds = ['app', 'project', 'database', 'logical-database', 'object-store'] as const

/** One list item, the same for every kind; `details` depends on the kind. */
export const summaryView = z.object({
  kind: z.enum(resourceKinds),
  name: z.string(),
  displayName: z.string(),
  project: z.string(),
  environment: z.string(),
  state: z.enum(resourceStates),
  message: z.string(),
  url: z.string(),
  pendingChanges: z.number(),
  createdAt: z.string(),
  /** From when on it is pending, failed or being deleted, where that is known. */
  since: z.string().optional(),
  details: z.record(z.string(), z.unknown()),
})

export type ResourceSummary = z.output<typeof summaryView>

export const summariesView = z.object({ items: z.array(summaryView) })

/** `spec` is redacted for callers who cannot change things; secret values are blank for everyone. */
export const detailView = z.object({
  resource: summaryView,
  spec: z.record(z.string(), z.unknown()),
  status: z.record(z.string(), z.unknown()),
})
