/** What was made in a cloud account and belongs to nothing any more. */
import { z } from 'zod'
import { operation } from '../operation.ts'

const orphansView = z.object({
  items: z.array(
    z.object({
      connection: z.string(),
      project: z.string(),
      kind: z.enum(['user', 'bucket']),
      name: z.string(),
      /** Name and uid of the store it was made for, as its tags say. */
      store: z.string(),
      owner: z.string(),
    }),
  ),
  /** Connections whose account could not be looked at, or not all of it. */
  unanswered: z.array(z.object({ connection: z.string(), message: z.string() })),
})

export const orphanOperations = {
  'orphans.list': operation({
    summary: 'List what carries the tag of svc in the connected clouds and has no record',
    tag: 'Cluster',
    access: 'admin',
    v1: { method: 'GET', path: '/orphans' },
    dashboard: { method: 'GET', path: '/api/orphans' },
    params: z.object({}),
    view: orphansView,
  }),
} as const
