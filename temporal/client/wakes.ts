/** Wakes the workflow of a record by signal-with-start; a lost wake does no harm, since the watch repeats it. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import type { Logger } from '../../cluster/objects/log.ts'
import { pullRequestId, pullRequestWorkflow, workflowType, workflowId } from '../../durable/ids.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { pullRequestKey, type PullRequestRef } from '../../kinds/projects/pull-requests.ts'
import type { ReconciledKind } from '../../kinds/meta/resource-types.ts'
import { type RunAttributes, type ReconcileInput, type Wake, wakeSignal } from '../../durable/messages.ts'
import type { Policy } from '../../durable/policy.ts'
import { controlQueue } from '../../durable/queues.ts'
import { defined } from '../../contract/defined.ts'
import { searchAttributes, tagsOf } from '../../durable/search-attributes.ts'
import type { Handovers } from './handovers.ts'
import { type WaitingWake, WaitingWakes } from './waiting-wakes.ts'

/** Limit of a call to Temporal, after which the caller has to repeat it. */
export const answerWithinMs = 5_000

export interface WakeOptions {
  client: Client
  policy: Policy
  searchable: boolean
}

/** Options of a run that a wake starts. */
export interface Opening {
  /** Search attributes of the run, which then need not set them itself. */
  attributes?: RunAttributes | undefined
  /** Timeout of each of its workflow tasks. */
  workflowTaskMs?: number | undefined
}

/**
 * Starts the workflow of the record if none is open, and wakes it.
 * Rejects when Temporal does not answer in `deadlineMs`.
 */
export async function sendWake(
  { client, policy, searchable }: WakeOptions,
  kind: ReconciledKind,
  name: string,
  wake: Wake,
  deadlineMs: number,
  { attributes, workflowTaskMs = policy.workflowTaskMs }: Opening = {},
): Promise<void> {
  const input: ReconcileInput = { name, policy, searchable, ...(searchable ? defined({ attributes }) : {}) }
  await client.withDeadline(Date.now() + deadlineMs, () =>
    client.workflow.signalWithStart(workflowType(kind), {
      workflowId: workflowId(kind, name),
      taskQueue: controlQueue,
      args: [input],
      signal: wakeSignal,
      signalArgs: [wake],
      workflowTaskTimeout: workflowTaskMs,
      staticSummary: `${kind} ${name}`,
      // A Temporal server with fairness serves projects in turns, however many deploys one of them starts at once.
      ...(attributes === undefined || attributes.project === ''
        ? {}
        : { priority: { fairnessKey: attributes.project } }),
      ...(searchable
        ? {
            typedSearchAttributes: [
              { key: searchAttributes.kind, value: kind },
              { key: searchAttributes.resource, value: name },
              ...(attributes === undefined
                ? []
                : tagsOf(attributes).flatMap(({ key, value }) => (value === null ? [] : [{ key, value }]))),
            ],
          }
        : {}),
    }),
  )
}

/**
 * Starts the workflow of a pull request in a project if none is open, and wakes it. Rejects when Temporal does not
 * answer in `deadlineMs`.
 */
export async function wakePullRequest(
  { client, policy, searchable }: WakeOptions,
  ref: PullRequestRef,
  wake: Wake,
  deadlineMs: number,
): Promise<void> {
  const name = pullRequestKey(ref)
  const input: ReconcileInput = { name, policy, searchable }
  await client.withDeadline(Date.now() + deadlineMs, () =>
    client.workflow.signalWithStart(pullRequestWorkflow, {
      workflowId: pullRequestId(name),
      taskQueue: controlQueue,
      args: [input],
      signal: wakeSignal,
      signalArgs: [wake],
      workflowTaskTimeout: policy.workflowTaskMs,
      staticSummary: `pull request ${ref.number} of ${ref.repository}`,
      priority: { fairnessKey: ref.project },
    }),
  )
}

/**
 * Whether a run of this id is open. Read from the run itself, since lists of runs are behind. Rejects without an answer
 * in `deadlineMs`.
 */
export async function isOpen(client: Client, id: string, deadlineMs: number): Promise<boolean> {
  try {
    const { status } = await client.withDeadline(Date.now() + deadlineMs, () =>
      client.workflow.getHandle(id).describe(),
    )
    return status.name === 'RUNNING'
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}

export interface Wakes {
  /**
   * Returns at once; the wake is sent in the background, with the attributes of a run that it opens. A wake that opens
   * a deploy may have to wait until others were accepted.
   */
  wake(kind: ReconciledKind, name: string, wake: Wake, attributes?: RunAttributes): void
  /** The record of a service as it is now, or as it was when it was deleted: says which deploys were accepted. */
  note(app: App, isGone: boolean): void
  /** Number of wakes that were not delivered since the start, for the metrics. */
  readonly undelivered: number
}

const apiDeadlineMs = 1500

/**
 * Wakes of the api: each is tried once, since the worker's watch repeats a lost one. With `handovers`, deploys are
 * opened a few at a time and in turns of the projects (docs/guides/how-a-request-travels.md#many-deploys-at-once).
 */
export function createWakes(options: WakeOptions, log: Logger, handovers?: Handovers): Wakes {
  let undelivered = 0
  const waiting = handovers === undefined ? undefined : new WaitingWakes(handovers)

  function send({ kind, name, wake, attributes }: WaitingWake): void {
    sendWake(options, kind, name, wake, apiDeadlineMs, { attributes }).catch((error: unknown) => {
      undelivered += 1
      if (attributes !== undefined) handovers?.end(name)
      log.warn(
        { kind, name, error: error instanceof Error ? error.message : String(error) },
        'wake not delivered; the watch repeats it',
      )
    })
  }
  function pump(): void {
    for (let next = waiting?.take(); next !== undefined; next = waiting?.take()) send(next)
    waiting?.later(pump)
  }
  return {
    wake(kind, name, wake, attributes) {
      if (waiting === undefined || attributes === undefined) return send({ kind, name, wake, attributes })
      handovers?.end(name) // this deploy replaces the one that was handed over
      waiting.add({ kind, name, wake, attributes })
      pump()
    },
    note(app, isGone) {
      const { name } = app.metadata
      if (waiting?.isAsked(name) !== true) return
      if (!isGone && viewOf(app).intent !== app.status?.acceptedIntent) return
      if (waiting.noteAccepted(name)) pump()
    },
    get undelivered() {
      return undelivered
    },
  }
}
