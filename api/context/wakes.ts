/**
 * Wakes the workflow of a record after a write, in the background, with the actor of the request. The watch repeats a
 * lost wake.
 */
import { actorOf, type Caller } from '../../contract/caller.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { attributesOf } from '../../durable/messages.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { ReconciledKind } from '../../kinds/meta/resource-types.ts'
import type { DeletionRequest } from '../../kinds/provision/deletion-request.ts'
import type { Needs } from './needs.ts'

interface Asked {
  readonly caller: Caller
  readonly requestId: string
}

/** The actor and request ID, as deploys and wakes have them. */
export const askedBy = ({ caller, requestId }: Asked) => ({ actor: actorOf(caller), requestId })

/** The request of a deletion, as the record is to show it. */
export const deletionBy = ({ writes }: Pick<Needs, 'writes'>, call: Asked): DeletionRequest => ({
  actor: askedBy(call).actor,
  at: writes.now().toISOString(),
})

/**
 * For `onAccepted` of a deploy: starts the run with the attributes of the deploy. The wake has the intent, so that a
 * run which already works on that intent makes no further pass.
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
