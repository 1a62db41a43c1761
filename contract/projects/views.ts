/** What reads of a project answer beside the record itself: compliance, repositories. */
import { z } from 'zod'

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
