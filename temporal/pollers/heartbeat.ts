/**
 * Sends heartbeats for every activity while it runs, so that Temporal notices a killed worker within the policy's
 * heartbeat timeout.
 */
import { Context } from '@temporalio/activity'
import type { ActivityInboundCallsInterceptor, ActivityExecuteInput, Next } from '@temporalio/worker'
import { lastProgress } from '../../activities/resync/progress.ts'

const everyMs = 1000

export class Heartbeat implements ActivityInboundCallsInterceptor {
  async execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>): Promise<unknown> {
    const context = Context.current()
    if (context.info.isLocal) return next(input) // the timeout of its workflow task covers a local activity
    const timer = setInterval(() => context.heartbeat(lastProgress(context)), everyMs)
    try {
      return await next(input)
    } finally {
      clearInterval(timer)
    }
  }
}
