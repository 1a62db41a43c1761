/** The metrics of a worker: passes, their failures, pending wakes, status writes, calls of the Kubernetes API. */
import { activityInfo } from '@temporalio/activity'
import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common'
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { onStatus } from '../activities/kube/write-status.ts'
import { measureClusterRequests, measureSkew, secondsBuckets } from '../outside/metrics/cluster-requests.ts'
import type { RunMetrics } from './runs/stuck-runs.ts'

export interface WorkerMetrics {
  readonly registry: Registry
  /** Callback for each request of the cluster's client. */
  readonly onClusterRequest: (verb: string, resource: string, status: number, ms: number) => void
  /** Measures every pass of an activity. */
  readonly passes: ActivityInboundCallsInterceptor
  /** Sets the function that counts wakes not delivered yet; called again when the worker is started again. */
  readonly watchQueue: (waiting: () => number) => void
  readonly runs: RunMetrics
  readonly watchClock: (clock: { readonly aheadMs: number }) => void
  /** Shows the release of this worker, and whether it is the current one. */
  readonly release: (id: string) => (isCurrent: boolean) => void
}

/** @param clock milliseconds, for durations */
export function createWorkerMetrics(clock: () => number): WorkerMetrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  let waiting = (): number => 0
  const depth: Gauge = new Gauge({
    name: 'svc_queue_depth',
    help: 'Hints that wait for Temporal.',
    registers,
    collect: () => depth.set(waiting()),
  })
  const written = new Counter({ name: 'svc_status_writes_total', help: 'Statuses written.', registers })
  const skipped = new Counter({ name: 'svc_status_skipped_total', help: 'Statuses that were so already.', registers })
  onStatus((outcome) => (outcome === 'written' ? written : skipped).inc())
  return {
    registry,
    onClusterRequest: measureClusterRequests(registry),
    passes: measurePasses(registry, clock),
    watchQueue: (count) => (waiting = count),
    runs: measureRuns(registers),
    watchClock: (cluster) => measureSkew(registry, cluster),
    release: measureRelease(registers),
  }
}

function measureRuns(registers: Registry[]): RunMetrics {
  const ended = new Counter({
    name: 'svc_runs_ended_total',
    help: 'Runs that failed again and again, were ended and opened anew.',
    labelNames: ['workflow', 'cause'],
    registers,
  })
  const waiting = new Gauge({
    name: 'svc_runs_failing',
    help: 'Runs that fail again right after they were opened anew.',
    registers,
  })
  return { ended: (workflow, cause) => ended.inc({ workflow, cause }), waiting: (count) => waiting.set(count) }
}

/** Whether the error is a wait, after which Temporal retries the activity, and no failure. */
const isWait = (error: unknown): boolean =>
  error instanceof ApplicationFailure && error.category === ApplicationFailureCategory.BENIGN

function measurePasses(registry: Registry, clock: () => number): ActivityInboundCallsInterceptor {
  const registers = [registry]
  const seconds = new Histogram({
    name: 'svc_reconcile_seconds',
    help: 'Passes of activities.',
    buckets: secondsBuckets,
    registers,
  })
  const errors = new Counter({
    name: 'svc_reconcile_errors_total',
    help: 'Passes that failed and are tried again.',
    registers,
  })
  const resync = measureResync(registers)
  return {
    async execute(
      input: ActivityExecuteInput,
      next: Next<ActivityInboundCallsInterceptor, 'execute'>,
    ): Promise<unknown> {
      const startedAt = clock()
      try {
        const done = await next(input)
        if (activityInfo().workflowType === resyncWorkflow) resync.setToCurrentTime()
        return done
      } catch (error) {
        if (!(error instanceof CancelledFailure) && !isWait(error)) errors.inc()
        throw error
      } finally {
        seconds.observe((clock() - startedAt) / 1000)
      }
    },
  }
}

const resyncWorkflow = 'resync'

/** Begins with the start of the worker, so that a new worker does not show as late. */
function measureResync(registers: Registry[]): Gauge {
  const last = new Gauge({
    name: 'svc_resync_timestamp_seconds',
    help: 'When this worker last did a part of the comparison of all records, in seconds since 1970.',
    registers,
  })
  last.setToCurrentTime()
  return last
}

function measureRelease(registers: Registry[]): WorkerMetrics['release'] {
  const current = new Gauge({
    name: 'svc_release_current',
    help: '1 while the release of this worker has the work.',
    labelNames: ['release'],
    registers,
  })
  return (release) => (isCurrent) => current.set({ release }, isCurrent ? 1 : 0)
}
