/**
 * Terminates runs that are stuck and starts them anew, without an operator. A run is stuck when its workflow task fails
 * again and again: its history does not fit the workflows of this release, or the code fails. Runs hold no state, so
 * nothing is lost. The reasons: docs/decisions/0023-one-release-at-a-time-has-the-work.md.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client'
import type { Logger } from '../../cluster/objects/log.ts'
import type { PlannedRun } from '../../activities/functions/messages.ts'
import {
  deliveryWorkflow,
  gitPushWorkflow,
  pushWorkflow,
  reconciledBy,
  reportWorkflow,
  scheduleRunWorkflow,
} from '../../durable/ids.ts'
import type { ReconciledKind } from '../../kinds/meta/resource-types.ts'
import type { Opening } from '../client/wakes.ts'
import {
  countEnded,
  executionOf,
  firstTaskEnd,
  handleOf,
  inTime,
  type OpenRun,
  openRuns,
  plannedRunOf,
  readMisses,
} from './open-runs.ts'
import { isStuck, type Misses } from './verdict.ts'

/** Most runs that one look checks; the next look goes on with the others. */
const mostAsked = 1_000
const atOnce = 10
/** Most characters of a failure's message in the reason of a termination. */
const messageLength = 300
/** Workflow types that are reset in place, since no wake starts them again; repeating their work is harmless. */
const begunAgain = new Set([deliveryWorkflow, pushWorkflow, gitPushWorkflow, reportWorkflow])

export interface RunMetrics {
  /** Counts a run that was terminated and started anew. */
  ended(workflow: string, cause: string): void
  /** Sets the number of runs that fail again and again, and are not terminated yet since they were before. */
  waiting(count: number): void
}

export interface StuckRunNeeds {
  client: Client
  /** The release of this worker: a run that fails again under the same release is terminated less and less often. */
  release: string
  lookMs: number
  /** Workflow task timeout of a run that replaces one whose tasks timed out. */
  longTaskMs: number
  /** Starts the workflow of the record anew. */
  wake: (kind: ReconciledKind, name: string, reason: string, opening: Opening) => Promise<void>
  /** Records an Event on the record whose run was terminated, once per run. */
  recordEnded: (kind: ReconciledKind, name: string, message: string, runId: string) => Promise<void>
  /**
   * Records that a scheduled run was terminated: whether its request reached the function is not known. `lateMs` is the
   * time from its planned time to its start, `ms` the time after that.
   */
  noteCut: (run: PlannedRun, times: { lateMs: number; ms: number }) => Promise<void>
  log: Logger
  metrics?: RunMetrics | undefined
}

/** Looks for stuck runs until the returned function is called. */
export function restartStuckRuns(needs: StuckRunNeeds): () => Promise<void> {
  const stopping = new AbortController()
  const looks = createLooks(needs)
  const ended = (async () => {
    while (!stopping.signal.aborted) {
      // Random, so that workers that started together do not always look at the same time.
      await sleep(needs.lookMs * (0.75 + Math.random() / 2), undefined, { signal: stopping.signal, ref: false })
      await looks().catch((error: unknown) =>
        needs.log.warn({ error: String(error) }, 'the open runs could not be read; trying again'),
      )
    }
  })().catch(() => undefined) // aborted during a rest; errors of looks are caught above
  return async () => {
    stopping.abort()
    await ended
  }
}

function createLooks(needs: StuckRunNeeds): () => Promise<void> {
  const { client, metrics } = needs
  /** Runs that were open at the last look: only those are checked, since a younger run cannot be stuck yet. */
  let before = new Set<string>()
  let from = 0
  /**
   * Runs that were terminated and not started anew yet, since Temporal did not answer in between. If this worker dies,
   * the next one wakes every record with work.
   */
  const owed = new Map<string, () => Promise<void>>()
  return async () => {
    for (const [runId, open] of owed) {
      await open()
      owed.delete(runId)
    }
    const open = await openRuns(client)
    const old = open.filter(({ runId }) => before.has(runId))
    before = new Set(open.map(({ runId }) => runId))
    const asked = [...old.slice(from), ...old.slice(0, from)].slice(0, mostAsked)
    from = old.length > mostAsked ? (from + mostAsked) % old.length : 0
    let waiting = 0
    const next = asked.values()
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const run of next) if ((await restartIfStuck(needs, run, owed)) === 'waits') waiting += 1
      }),
    )
    metrics?.waiting(waiting)
  }
}

/** Checks one run: `fine`, `ended` if it was terminated now, or `waits` since it was terminated before. */
async function restartIfStuck(
  needs: StuckRunNeeds,
  run: OpenRun,
  owed: Map<string, () => Promise<void>>,
): Promise<'fine' | 'waits' | 'ended'> {
  const { client, release } = needs
  try {
    const misses = await readMisses(client, run)
    if (misses === undefined || !isStuck(misses, 0)) return 'fine'
    const begins = reasonBegins(release)
    if (!isStuck(misses, await countEnded(client, run, begins))) return 'waits'
    await restart(needs, run, misses, `${begins}${whyOf(misses)}; ended, to be opened anew`, owed)
    return 'ended'
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'fine' // ended by itself, or by another worker
    throw error
  }
}

async function restart(
  needs: StuckRunNeeds,
  run: OpenRun,
  misses: Misses,
  reason: string,
  owed: Map<string, () => Promise<void>>,
): Promise<void> {
  const { client, log, longTaskMs, metrics, wake, recordEnded, noteCut } = needs
  const { workflowId, runId, type } = run
  const record = reconciledBy(workflowId)
  if (begunAgain.has(type)) await beginAgain(client, run, reason)
  else {
    // Recorded before the termination: then the Schedule's next run may start, and must find this one recorded.
    if (type === scheduleRunWorkflow) {
      const { planned, times } = await plannedRunOf(client, run)
      await noteCut(planned, times)
    }
    // A task that timed out on an overloaded machine would time out again, so the new run gets a longer timeout.
    const opening: Opening = misses.failure === undefined && !misses.moves ? { workflowTaskMs: longTaskMs } : {}
    const open = async () =>
      record === undefined
        ? undefined
        : await wake(record.kind, record.name, 'its run failed again and again and was ended', opening)
    owed.set(runId, open)
    await inTime(client, () => handleOf(client, run).terminate(reason))
    await open()
    owed.delete(runId)
  }
  metrics?.ended(type, misses.failure?.cause ?? 'TIMED_OUT')
  log.error(
    { workflowId, runId, misses: misses.count, reason },
    'a run failed again and again: it was terminated and is started anew',
  )
  if (record !== undefined)
    await recordEnded(record.kind, record.name, reason, runId).catch((error: unknown) =>
      log.warn({ workflowId, error: String(error) }, 'the Event of a terminated run could not be recorded'),
    )
}

/** Resets the run to its beginning, with the same input: Temporal terminates it and starts it anew in one call. */
async function beginAgain(client: Client, run: OpenRun, reason: string): Promise<void> {
  const workflowTaskFinishEventId = await firstTaskEnd(client, run)
  const { namespace } = client.options
  try {
    await inTime(client, () =>
      client.workflowService.resetWorkflowExecution({
        namespace,
        workflowExecution: executionOf(run),
        reason,
        requestId: randomUUID(),
        workflowTaskFinishEventId,
      }),
    )
  } catch (error) {
    const code: number | undefined = isGrpcServiceError(error) ? error.code : undefined
    if (code === notFound) throw new WorkflowNotFoundError('it has ended', run.workflowId, run.runId)
    throw error
  }
}

const notFound = 5 // of gRPC

const reasonBegins = (release: string): string => `svc ${release}: `

function whyOf({ count, failure, moves }: Misses): string {
  if (failure === undefined)
    return `its workflow task was not answered ${count} times in a row${moves ? ' by the release that it moves to' : ''}`
  return `its workflow task failed ${count} times in a row (${failure.cause}: ${failure.message.slice(0, messageLength)})`
}
