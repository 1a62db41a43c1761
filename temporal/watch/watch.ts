/** What the worker gets of the watch of a kind. */

import type { Due } from '../../activities/resync.ts'
import type { KubeObject } from '../../cluster/object.ts'
import type { SettledKind } from '../../durable/ids.ts'

export interface Watch {
  /**
   * Who asks for something, or lacks something that was made for it, from memory. Each was woken when that came up; the run that
   * was woken may have been ended by hand before it had done anything about it.
   */
  due(): readonly Due[]
  stop(): void
}

/** One entry of `due`, or none without a reason. */
export const dueFor = (kind: SettledKind, { metadata: { name } }: KubeObject, reason: string | undefined): Due[] =>
  reason === undefined ? [] : [{ kind, name, reason }]
