/** How far an activity is: part of each of its heartbeats, so that the Temporal pages show it and the next try goes on there. */

import { Context } from '@temporalio/activity'

const said = new WeakMap<Context, unknown>()

/** Says how far the running activity is. Throws when it was given up meanwhile, since another try may be running by then. */
export function sayProgress(progress: unknown): void {
  const context = Context.current()
  said.set(context, progress)
  context.heartbeat(progress)
  context.cancellationSignal.throwIfAborted()
}

/** What this try has said last, else what the former try had. */
export function lastProgress(context = Context.current()): unknown {
  return said.get(context) ?? context.info.heartbeatDetails
}
