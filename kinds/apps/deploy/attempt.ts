/** The accepted deploy that a service's record asks for: annotation `svc.dev/attempt`. */
import { z } from 'zod'
import { deploymentRecordsKept, objectNameMax } from '../../../contract/limits.ts'
import { imageMax, noteMax } from '../../meta/bounds.ts'
import { actor, objectName, time } from '../../schema/fields.ts'

/** The longest end that the name of an object adds to that of its deploy: `-` and 5 characters, `-code`, `-log`. */
const longestEnd = 6
/** As strict as the API server about the names of objects, which are made from it. */
const attemptName = objectName
  .max(objectNameMax - longestEnd)
  .refine((name) => !/\.[.-]|-\./.test(name), 'must be the name of an object')

/** Written by svc, and with kubectl by anyone: each bound is that of what the field is written into. */
export const attemptSchema = z.object({
  /**
   * Name of the deployment record, `<app>-<5 characters>`. It is minted once per request: a retry of a write whose
   * answer was lost recognises the earlier write by it.
   */
  record: attemptName,
  /**
   * Name of the Secret in svc-system with the frozen secrets of the release; absent when the service has none. The
   * release itself is named by `record`.
   */
  release: objectName.exactOptional(),
  operation: z.enum(['deploy', 'build', 'rollback', 'kubectl']),
  actor,
  requestId: z.string(),
  /** Readable reason: spec.changeTitle of the deployment record. */
  title: z.string().max(noteMax),
  /** When it was accepted, RFC 3339. The next one is later (`acceptedAt`), and a year has four digits. */
  at: time.refine((at) => !at.startsWith('9999-12-31'), 'must be before the last day of the year 9999'),
  /** The image of an earlier deployment, with its digest: a rollback runs this image, whatever its tag names today. */
  image: z.string().max(imageMax).exactOptional(),
  /**
   * Whether the copies of this attempt run confined (kinds/apps/manifests/confinement.ts). Absent on attempts older
   * than confinement: their copies stay unconfined until the next deploy.
   */
  confined: z.boolean().exactOptional(),
  /**
   * Whether the copies of this attempt have the early start probe (`startProbeOf` of
   * kinds/apps/manifests/container.ts). Absent on attempts older than that probe: their copies go without it until the
   * next deploy.
   */
  askedEarly: z.boolean().exactOptional(),
  /** Set on a rollback that svc made by itself: which deploy failed, and why. */
  because: z.string().exactOptional(),
  /** The attempt that was still going on when this one was accepted. */
  supersedes: attemptName.exactOptional(),
  /**
   * Attempts before the one in `supersedes` that no worker had started either: the worker still has to write their end.
   */
  alsoSupersedes: z.array(attemptName).max(deploymentRecordsKept).exactOptional(),
})

export type Attempt = z.output<typeof attemptSchema>

/** How an attempt ended; both times RFC 3339. */
export interface AttemptEnd {
  phase: 'Succeeded' | 'Failed'
  summary: string
  startedAt: string
  completedAt: string
}
