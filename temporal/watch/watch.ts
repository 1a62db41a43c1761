/** What the worker gets of the watch of a kind. */
import type { ComparedKind } from '../../kinds/meta/resource-types.ts'

export interface Watch {
  kind: ComparedKind
  /**
   * Why the record's workflow should look: it asks for something, or something made for it is missing, by the cache;
   * undefined without a reason. It was woken when that came up; that run may have been ended by hand before it had done
   * anything about it.
   */
  missingOf(name: string): string | undefined
  stop(): void
}
