/** The accepted deploy that a service's record asks for: annotation `svc.dev/attempt`. */
import { z } from 'zod'
import { objectName } from '../schema/fields.ts'

export const attemptSchema = z.object({
  /**
   * Name of the deployment record, `<app>-<5 characters>`. It is minted once per request: a retry of a write whose
   * answer was lost recognises the earlier write by it.
   */
  record: objectName,
  /**
   * Name of the Secret in svc-system with the frozen secrets of the release; absent when the service has none. The
   * release itself is named by `record`.
   */
  release: objectName.exactOptional(),
  operation: z.enum(['deploy', 'build', 'rollback', 'kubectl']),
  /** User name or token id. */
  actor: z.string(),
  requestId: z.string(),
  /** Readable reason: spec.changeTitle of the deployment record. */
  title: z.string(),
  /** When it was accepted, RFC 3339. */
  at: z.string(),
  /** The image of an earlier deployment, with its digest: a rollback runs this image, whatever its tag names today. */
  image: z.string().exactOptional(),
  /**
   * Whether the copies of this attempt run confined (kinds/apps/confinement.ts). Absent on attempts older than
   * confinement: their copies stay unconfined until the next deploy.
   */
  confined: z.boolean().exactOptional(),
  /**
   * Whether the copies of this attempt have the early start probe (`startProbeOf` of kinds/apps/container.ts). Absent
   * on attempts older than that probe: their copies go without it until the next deploy.
   */
  askedEarly: z.boolean().exactOptional(),
  /** Set on a rollback that svc made by itself: which deploy failed, and why. */
  because: z.string().exactOptional(),
  /** The attempt that was still going on when this one was accepted. */
  supersedes: z.string().exactOptional(),
  /**
   * Attempts before the one in `supersedes` that no worker had started either: the worker still has to write their end.
   */
  alsoSupersedes: z.array(z.string()).exactOptional(),
})

export type Attempt = z.output<typeof attemptSchema>

/** How an attempt ended; both times RFC 3339. */
export interface AttemptEnd {
  phase: 'Succeeded' | 'Failed'
  summary: string
  startedAt: string
  completedAt: string
}
