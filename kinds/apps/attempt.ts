/** The accepted deploy that a service's record asks for: annotation `svc.dev/attempt`. */
import { z } from 'zod'
import { objectName } from '../schema/fields.ts'

export const attemptSchema = z.object({
  /**
   * Name of the deployment record, `<app>-<5 characters>`; minted once per request, so a lost answer is recognised by
   * it.
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
  /**
   * The image as an earlier deployment ran it, with its digest: what a rollback goes back to, whatever its tag means
   * now.
   */
  image: z.string().exactOptional(),
  /**
   * Its copies run confined (kinds/apps/confinement.ts). Absent before that was: such copies run on as they are until
   * the next deploy.
   */
  confined: z.boolean().exactOptional(),
  /**
   * Its copies are asked every second until they answer once (`startProbeOf` of kinds/apps/container.ts). Absent before
   * that was: such copies run on as they are until the next deploy.
   */
  askedEarly: z.boolean().exactOptional(),
  /** Set on a rollback that svc made by itself: which deploy failed, and why. */
  because: z.string().exactOptional(),
  /** The attempt that was still going on when this one was accepted. */
  supersedes: z.string().exactOptional(),
  /** Attempts before that one which no worker had started either: their end is still to be written. */
  alsoSupersedes: z.array(z.string()).exactOptional(),
})

export type Attempt = z.output<typeof attemptSchema>
