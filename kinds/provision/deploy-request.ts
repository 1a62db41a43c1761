/**
 * Who asked when for a database or bucket to be deployed: annotation `svc.dev/attempt` of the kinds that keep no
 * deployment records.
 */
import { z } from 'zod'
import { annotations } from '../meta/annotations.ts'
import { parseAnnotation } from '../meta/parse-annotation.ts'
import type { ResourceMeta } from '../meta/resource.ts'

const deployRequest = z.object({
  /** Minted once per request, so that a write whose answer was lost is recognised by it. */
  id: z.string(),
  /** User name or token id. */
  actor: z.string(),
  requestId: z.string(),
  /** When it was accepted, RFC 3339. */
  at: z.string(),
  /** A database takes no backup before the version that is deployed with this. */
  withoutBackup: z.literal(true).optional(),
})

export type DeployRequest = z.output<typeof deployRequest>

/** The request that the record carries; undefined when there is none, or the annotation cannot be read. */
export function deployRequestOf({ metadata }: { metadata: ResourceMeta }): DeployRequest | undefined {
  return parseAnnotation(metadata, annotations.attempt, deployRequest).value
}
