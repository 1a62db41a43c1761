/** Who asked, as deploys and the hints to workflows carry it. */
import { actorOf } from '../../contract/caller.ts'
import type { Caller } from '../../contract/caller.ts'

export const askedBy = ({ caller, requestId }: { readonly caller: Caller; readonly requestId: string }) => ({ actor: actorOf(caller), requestId })
