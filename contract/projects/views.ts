/** What reads of a project answer beside the record itself: compliance, connections, repositories. */
import { z } from 'zod'
import { resourceKinds } from '../views/resource.ts'

/** `openNodes`: nodes of the region that carry a required tag and let others in all the same. */
export const complianceView = z.object({
  requiredTags: z.array(z.string()),
  region: z.string(),
  databases: z.array(z.object({ name: z.string(), compliant: z.boolean(), missing: z.array(z.string()) })),
  openNodes: z.array(z.string()),
})

export const repositoriesView = z.object({
  items: z.array(
    z.object({ FullName: z.string(), DefaultBranch: z.string(), Private: z.boolean(), HTMLURL: z.string() }),
  ),
})

const capacity = { cpuMillis: z.number(), memoryBytes: z.number() }

/**
 * What each pending service and database needs beyond what its copies have now, in the order of a deploy of the
 * environment; `refusal` where it would be refused for want of capacity. `free` is null while the nodes are not known.
 */
export const capacityView = z.object({
  items: z.array(
    z.object({
      kind: z.enum(resourceKinds),
      name: z.string(),
      copies: z.number(),
      ...capacity,
      refusal: z.string().optional(),
    }),
  ),
  total: z.object(capacity),
  free: z.object(capacity).nullable(),
})

/** Each connection of a service once, with the names of the variables that make it. */
export const connectionsView = z.object({
  items: z.array(
    z.object({ app: z.string(), kind: z.enum(resourceKinds), name: z.string(), variables: z.array(z.string()) }),
  ),
})
