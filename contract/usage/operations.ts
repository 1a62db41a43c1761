/** What the cluster has, what its projects reserve of it, and what they use. */
import { z } from 'zod'
import { operation } from '../operation.ts'

/** The part that needs a metrics store is left out while none answers. */
const used = {
  pods: z.number(),
  cpuReservedMillis: z.number(),
  memoryReservedBytes: z.number(),
  storageReservedBytes: z.number(),
  cpuUsingMillis: z.number().optional(),
  memoryUsingBytes: z.number().optional(),
  storageUsingBytes: z.number().optional(),
  /** The share of what the cluster has, from 0 to 1. */
  shareOfCpu: z.number().min(0).max(1).optional(),
  shareOfMemory: z.number().min(0).max(1).optional(),
}

const usageView = z.object({
  cpuAllocatableMillis: z.number(),
  memoryAllocatableBytes: z.number(),
  nodes: z.number(),
  /** Whether the metrics store answered. */
  actualAvailable: z.boolean(),
  projects: z.array(z.object({ project: z.string(), displayName: z.string(), ...used })),
  /** Everything that runs, the platform's own pods included. */
  platform: z.object(used),
  /** Left out when no node names its region. */
  regions: z
    .array(
      z.object({
        region: z.string(),
        nodes: z.number(),
        cpuAllocatableMillis: z.number(),
        memoryAllocatableBytes: z.number(),
        cpuReservedMillis: z.number(),
        memoryReservedBytes: z.number(),
      }),
    )
    .optional(),
})

export const usageOperations = {
  'usage.get': operation({
    summary: 'Read what the cluster has and what projects use of it',
    tag: 'General',
    access: 'viewer',
    v1: { method: 'GET', path: '/usage' },
    dashboard: { method: 'GET', path: '/api/usage' },
    params: z.object({}),
    view: usageView,
  }),
} as const
