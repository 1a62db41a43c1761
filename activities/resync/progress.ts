/**
 * How far an activity is: part of each of its heartbeats, so that the Temporal pages show it and the next try goes on
 * there.
 */
import { Context } from '@temporalio/activity'

const said = new WeakMap<Context, unknown>()

/**
 * Reports how far the running activity is. Throws when it was cancelled meanwhile, since another try may run by then.
 */
export function sayProgress(progress: unknown): void {
  const context = Context.current()
  said.set(context, progress)
  context.heartbeat(progress)
  context.cancellationSignal.throwIfAborted()
}

/** The last report of this try, else that of the former one. */
export function lastProgress(context = Context.current()): unknown {
  return said.get(context) ?? context.info.heartbeatDetails
}
