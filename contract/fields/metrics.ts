/** The query of a metrics read and its answer; services, databases, projects and the cluster answer alike. */
import { z } from 'zod'
import { oneOf } from './fields.ts'
import { metricsWindowDefault, metricsWindows } from '../limits.ts'

export const metricsQuery = { window: oneOf('window', metricsWindows).default(metricsWindowDefault) }

const points = z.array(z.object({ t: z.number(), v: z.number() }))

/**
 * `available` is false, with a message, when the metrics store is absent or unreachable. `t` in unix seconds, `step` in
 * seconds.
 */
export const metricsView = z.object({
  window: z.enum(metricsWindows),
  step: z.number(),
  available: z.boolean(),
  message: z.string().optional(),
  series: z.record(z.string(), points),
})
