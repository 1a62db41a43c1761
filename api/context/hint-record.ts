/** What is said to the workflow of a record after a write, in the background; the watch says it too, should this get lost. */
import type { Caller } from '../../contract/caller.ts'
import type { SettledKind } from '../../durable/ids.ts'
import { askedBy } from './asked-by.ts'
import type { Needs } from './needs.ts'

export function hintRecord(
  { hints }: Pick<Needs, 'hints'>,
  kind: SettledKind,
  name: string,
  reason: string,
  call: { readonly caller: Caller; readonly requestId: string },
): void {
  hints.hint(kind, name, { reason, ...askedBy(call) })
}
