/**
 * Every activity heartbeats while it runs, so that a killed worker's work is noticed within the heartbeat time of the
 * policy.
 */
import { Context } from '@temporalio/activity'
import type { ActivityInboundCallsInterceptor, ActivityExecuteInput, Next } from '@temporalio/worker'
import { lastProgress } from '../../activities/resync/progress.ts'

const everyMs = 1000

export class Heartbeat implements ActivityInboundCallsInterceptor {
  async execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>): Promise<unknown> {
    const context = Context.current()
    if (context.info.isLocal) return next(input) // the workflow task it runs in stands for it
    const timer = setInterval(() => context.heartbeat(lastProgress(context)), everyMs)
    try {
      return await next(input)
    } finally {
      clearInterval(timer)
    }
  }
}
