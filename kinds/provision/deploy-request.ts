/**
 * Who asked for the deploy of a database or bucket, and when: annotation `svc.dev/attempt` of the kinds that keep no
 * deployment records.
 */
import { z } from 'zod'
import { annotations } from '../meta/annotations.ts'
import { parseAnnotation, type Parsed } from '../meta/parse-annotation.ts'
import type { ResourceMeta } from '../meta/resource.ts'
import { actor, time } from '../schema/fields.ts'

const deployRequest = z.object({
  /** Minted once per request: a retry of a write whose answer was lost recognises the earlier write by it. */
  id: z.string(),
  actor,
  requestId: z.string(),
  /** When it was accepted, RFC 3339. */
  at: time,
  /** An upgrade of a database by this deploy is not preceded by a backup. */
  withoutBackup: z.literal(true).optional(),
})

export type DeployRequest = z.output<typeof deployRequest>

/** The request that the record carries; undefined when there is none, or the annotation cannot be read. */
export const deployRequestOf = (record: { metadata: ResourceMeta }): DeployRequest | undefined =>
  requestIn(record).value

/** Why the request of the record cannot be read, in words for its Event; undefined if it can, or there is none. */
export const unreadableRequest = (record: { metadata: ResourceMeta }): string | undefined =>
  requestIn(record).unreadable

const requestIn = ({ metadata }: { metadata: ResourceMeta }): Parsed<DeployRequest> =>
  parseAnnotation(metadata, annotations.attempt, deployRequest)
