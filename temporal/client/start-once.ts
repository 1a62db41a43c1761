/** Starts a workflow at most once for its id, however often and by however many processes this is called. */
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import { defined } from '../../contract/defined.ts'
import { controlQueue } from '../../durable/queues.ts'
import { pairsOf, type SearchValues } from '../../durable/search-attributes.ts'
import { answerWithinMs, type WakeOptions } from './wakes.ts'

export interface Once {
  readonly type: string
  /** The id that may be started once; a run that has ended counts, too, as long as Temporal keeps it. */
  readonly workflowId: string
  readonly input: object
  readonly summary: string
  /** Values of search attributes, set if the install has registered those. */
  readonly attributes: SearchValues
}

/** Resolves once the workflow was started, by this call or before. Rejects when Temporal does not answer in 5 s. */
export async function startOnce(
  { client, policy, searchable }: WakeOptions,
  { type, workflowId, input, summary, attributes }: Once,
): Promise<void> {
  const options = {
    workflowId,
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    taskQueue: controlQueue,
    args: [{ ...input, policy, searchable }],
    workflowTaskTimeout: policy.workflowTaskMs,
    staticSummary: summary,
    ...defined({ typedSearchAttributes: searchable ? pairsOf({ ...attributes, phase: 'Running' }) : undefined }),
  } satisfies Parameters<Client['workflow']['start']>[1]
  try {
    await client.withDeadline(Date.now() + answerWithinMs, () => client.workflow.start(type, options))
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}
