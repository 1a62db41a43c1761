/** Starts or wakes the workflow that reports a deploy to the git host. */
import { reportId, reportWorkflow } from '../../durable/ids.ts'
import { reportSignal } from '../../durable/messages.ts'
import { controlQueue } from '../../durable/queues.ts'
import type { ReportRef } from '../../kinds/builds/report.ts'
import { pairsOf } from '../../durable/search-attributes.ts'
import { answerWithinMs, type WakeOptions } from './wakes.ts'

/** Limit of the memo of news that this process has sent, which spares calls to Temporal. */
const memoizedMax = 10_000

/**
 * `news` names a change of the deploy. This process sends the same news once; sending it twice is harmless.
 * Rejects when Temporal does not answer in 5 s: the pass is then repeated.
 */
export function createReports({ client, policy, searchable }: WakeOptions) {
  const sent = new Set<string>()
  return async (report: ReportRef, news: string): Promise<void> => {
    const { build, app, project, environment, record } = report
    const key = `${build} ${news}`
    if (sent.has(key)) return
    const attributes = { kind: 'githost', resource: app, project, environment, attempt: record, operation: 'report' }
    await client.withDeadline(Date.now() + answerWithinMs, () =>
      client.workflow.signalWithStart(reportWorkflow, {
        workflowId: reportId(build),
        taskQueue: controlQueue,
        args: [{ report, policy, searchable }],
        signal: reportSignal,
        signalArgs: [],
        workflowTaskTimeout: policy.workflowTaskMs,
        staticSummary: `deploy ${record} of ${app}, for the git host`,
        ...(searchable ? { typedSearchAttributes: pairsOf({ ...attributes, phase: 'Running' }) } : {}),
      }),
    )
    if (sent.size >= memoizedMax) sent.clear()
    sent.add(key)
  }
}
