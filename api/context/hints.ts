/**
 * Who asked, and what is said to the workflow of a record after a write, in the background; the watch says it too,
 * should this get lost.
 */
import { actorOf, type Caller } from '../../contract/caller.ts'
import type { ReconciledKind } from '../../kinds/meta/resource-types.ts'
import type { Needs } from './needs.ts'

interface Asked {
  readonly caller: Caller
  readonly requestId: string
}

/** As deploys and the hints to workflows carry it. */
export const askedBy = ({ caller, requestId }: Asked) => ({ actor: actorOf(caller), requestId })

export function hintRecord(
  { hints }: Pick<Needs, 'hints'>,
  kind: ReconciledKind,
  name: string,
  reason: string,
  call: Asked,
): void {
  hints.hint(kind, name, { reason, ...askedBy(call) })
}
