/**
 * The progress of an activity, as part of each heartbeat: Temporal's UI shows it, and the next try goes on there.
 */
import { Context } from '@temporalio/activity'

const latest = new WeakMap<Context, unknown>()

/**
 * Reports the progress of the running activity. Throws if the activity was cancelled, since another try may be running.
 */
export function reportProgress(progress: unknown): void {
  const context = Context.current()
  latest.set(context, progress)
  context.heartbeat(progress)
  context.cancellationSignal.throwIfAborted()
}

/** The last progress of this try, else of the former try. */
export function lastProgress(context = Context.current()): unknown {
  return latest.get(context) ?? context.info.heartbeatDetails
}
