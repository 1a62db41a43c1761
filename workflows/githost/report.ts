/** Reports one deploy to the git host, until its end is reported. */
import {
  condition,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import type { ReportedInput } from '../../activities/githost/messages.ts'
import type { createReportActivities } from '../../activities/githost/report.ts'
import { reportSignal } from '../../durable/messages.ts'
import { webhookQueue } from '../../durable/queues.ts'
import { searchAttributes } from '../../durable/search-attributes.ts'

/**
 * Workflow id `githost/report/<build>`: one run at a time, so nothing is reported twice. Started and woken by the
 * signal `news`; each report reads the current state, so a late signal reports nothing old. Fails if the git host does
 * not answer for `policy.webhookGiveUpMs`.
 */
export async function gitHostReport({ report, policy, searchable }: ReportedInput): Promise<string> {
  const { reportDeploy } = proxyActivities<ReturnType<typeof createReportActivities>>({
    taskQueue: webhookQueue,
    summary: 'Report the deploy to the git host',
    startToCloseTimeout: policy.activityMs,
    scheduleToCloseTimeout: policy.webhookGiveUpMs,
    heartbeatTimeout: policy.heartbeatMs,
    retry: { initialInterval: policy.webhookRetryMs, maximumInterval: policy.webhookRetryMaxMs, backoffCoefficient: 2 },
  })
  let isNew = false
  setHandler(defineSignal(reportSignal), () => {
    isNew = true
  })
  await condition(() => isNew)
  let line = ''
  while (isNew) {
    isNew = false
    const { outcome, message } = await reportDeploy(report)
    line = `${outcome}: ${message}`
    setCurrentDetails(`**${report.record} of ${report.repository}**: ${line}`)
  }
  if (searchable) upsertSearchAttributes([{ key: searchAttributes.phase, value: 'Succeeded' }])
  return line
}
