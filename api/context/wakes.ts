/**
 * Who asked, and what is said to the workflow of a record after a write, in the background; the watch says it too,
 * should this get lost.
 */
import { actorOf, type Caller } from '../../contract/caller.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { attributesOf } from '../../durable/messages.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { ReconciledKind } from '../../kinds/meta/resource-types.ts'
import type { Needs } from './needs.ts'

interface Asked {
  readonly caller: Caller
  readonly requestId: string
}

/** As deploys and the wakes of workflows carry it. */
export const askedBy = ({ caller, requestId }: Asked) => ({ actor: actorOf(caller), requestId })

/**
 * For `onAccepted` of a deploy: opens the run with the attributes of the deploy, and says which intent it is about, so
 * that a run that works on that already does not look again.
 */
export const wakeAccepted =
  ({ wakes }: Pick<Needs, 'wakes'>, reason: string, asked: { actor: string; requestId: string }) =>
  (app: App): void => {
    const plan = viewOf(app).plan
    wakes.wake('app', app.metadata.name, { reason, ...asked, intent: plan.intent }, attributesOf(plan))
  }

export function wakeRecord(
  { wakes }: Pick<Needs, 'wakes'>,
  kind: ReconciledKind,
  name: string,
  reason: string,
  call: Asked,
): void {
  wakes.wake(kind, name, { reason, ...askedBy(call) })
}
