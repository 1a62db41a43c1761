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

/** As deploys and the wakes of workflows carry it. */
export const askedBy = ({ caller, requestId }: Asked) => ({ actor: actorOf(caller), requestId })

export function wakeRecord(
  { wakes }: Pick<Needs, 'wakes'>,
  kind: ReconciledKind,
  name: string,
  reason: string,
  call: Asked,
): void {
  wakes.wake(kind, name, { reason, ...askedBy(call) })
}
