/** The watch of one kind, as the worker uses it. */
import type { ComparedKind } from '../../kinds/meta/resource-types.ts'

export interface Watch {
  kind: ComparedKind
  /**
   * Why the record's workflow should be woken: the record has work, or an object made for it is missing, by the caches;
   * undefined without a reason. The watch has woken it for that once, but the run may have been terminated by hand.
   */
  missingOf(name: string): string | undefined
  stop(): void
}
