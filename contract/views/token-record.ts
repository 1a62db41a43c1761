/** What callers read about an API token; its value is shown once, at creation. */
import { z } from 'zod'
import { workspaceRoles } from '../fields/words.ts'

/**
 * `role` is `project` for project tokens; `project` and `environment` are empty for workspace tokens; null times mean
 * never.
 */
export const tokenRecordView = z.object({
  id: z.string(),
  name: z.string(),
  scope: z.enum(['workspace', 'project']),
  project: z.string(),
  environment: z.string(),
  role: z.enum([...workspaceRoles, 'project']),
  createdBy: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
  expired: z.boolean(),
})

export type TokenRecord = z.output<typeof tokenRecordView>
