/** Tells the git host of one deploy, until it has heard how that ended. */
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
 * Workflow id `githost/report/<build>`: one run at a time, so nothing is told twice. Opened and woken by the signal
 * `news`; what is told is read then, so a wake that comes late tells nothing old. Fails where the git host does not
 * answer for `policy.webhookGiveUpMs`.
 */
export async function gitHostReport({ report, policy, searchable }: ReportedInput): Promise<string> {
  const { reportDeploy } = proxyActivities<ReturnType<typeof createReportActivities>>({
    taskQueue: webhookQueue,
    summary: 'Tell the git host of the deploy',
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
