/** Every duration (milliseconds) and count of the durable workflows in one place, so that tests can compress time. */
import * as limits from '../contract/limits.ts'

const second = 1000

export interface Policy {
  /** How long a waiting run rests until its next pass without a wake (docs/reference/limits.md#controller-retry). */
  recheckMs: number
  /** Failure-class passes in a row that end in ProvisionFailed (docs/reference/limits.md#controller-retry). */
  failedPasses: number
  /** Time of consecutive failure-class passes that ends in ProvisionFailed, whichever comes first. */
  failingMs: number
  /**
   * How long a deploy attempt may wait for its copies before it ends Failed; the copies may still become ready later.
   */
  attemptMs: number
  /** Restarts of a container of the new release after which an attempt ends Failed before its deadline. */
  crashRestarts: number
  /**
   * Pause before the next pass if the objects of the last one are missing again. Absent in runs of former releases.
   */
  missingAgainMs: number
  /**
   * How long a copy without a readiness probe must have run before it counts as ready, so that one that exits at once
   * never does. Rounded down to seconds.
   */
  steadyMs: number
  /** Limit of one try of an activity that calls the cluster. */
  activityMs: number
  /**
   * Limit of a pass as a local activity, within the workflow task, before it is run as an activity. Absent in runs of
   * former releases, whose histories have every pass as an activity.
   */
  localMs: number
  /**
   * How long a deploy waits for its copies within the workflow task, before its run rests until a wake. Absent in runs
   * of former releases, which rest at once.
   */
  copiesMs: number
  /** The heartbeat timeout: how long an activity stays with a worker that sends no heartbeat. */
  heartbeatMs: number
  /** Pause before an activity is tried again; doubles up to the maximum. */
  retryMs: number
  retryMaxMs: number
  /**
   * The workflow task timeout: short, so that another worker soon has the work of a killed one, and long enough for an
   * overloaded machine, since a task that ends too late is repeated.
   */
  workflowTaskMs: number
  /** The workflow task timeout of a run whose predecessor was terminated because its tasks timed out. */
  longWorkflowTaskMs: number
  /** How long a workflow task waits for the worker that caches its run before any other worker may take it. */
  stickyMs: number
  /** Time between two checks of a worker for runs whose workflow task fails again and again. */
  runLookMs: number
  /** Time between two checks of a worker which release of svc is current. */
  releaseLookMs: number
  /**
   * Time without a poll after which a release counts as one without workers; longer than a poll, which lasts up to a
   * minute.
   */
  releaseSilentMs: number
  /**
   * Events in the history of a run after which it continues as new; far below the 51,200 at which Temporal terminates
   * it.
   */
  historyEvents: number
  /** Time between two resyncs. */
  resyncMs: number
  /** Limit of one try of a part of the resync; after twice this time the part is left to the next resync. */
  resyncPartMs: number
  /** Records that one activity of the resync checks. */
  resyncPage: number
  /** Age at which objects without an owner are removed, such as frozen secrets; far longer than a request takes. */
  sweepMs: number
  /**
   * How long the deletion of a logical database waits for its drop
   * (docs/reference/limits.md#logical-database-drop-wait).
   */
  dropMs: number
  /** Time after which a call to a cloud that was cut off has taken effect or never will; longer than its deadline. */
  cloudSettleMs: number
  /** Limit of one try to deliver a webhook, from the DNS lookup to the end of the answer. */
  webhookTryMs: number
  /** Pause before a webhook is tried again; doubles up to the maximum. */
  webhookRetryMs: number
  webhookRetryMaxMs: number
  /** How long a delivery is tried; also how long after an event a delivery that was never started may be started. */
  webhookGiveUpMs: number
  /** Time between two reads of a commit's checks without a wake (docs/reference/builds.md#checks-of-a-commit). */
  ciLookMs: number
  /** Least time between two reads of the checks, however many events the git host sends. */
  ciNewsMs: number
  /** How long a build waits for more checks before those that passed count. */
  ciSettleMs: number
  /** How long a build waits for the first check. */
  ciMissingMs: number
  /** How long a build waits for the last check to end. */
  ciEndMs: number
  /** How long one run of a schedule may take, from the first try to reach the function to the end of its answer. */
  callMs: number
  /** Pause before a connection to a function is tried again; doubles up to `retryMaxMs`. */
  callRetryMs: number
  /** Heartbeat timeout of a function call; long, since no other worker repeats the call after it. */
  callHeartbeatMs: number
  /** How late a scheduled run may begin after an outage; a later one is recorded as missed. */
  scheduleCatchUpMs: number
  /** Time between two checks of the dashboard's address (docs/reference/limits.md#domain-verification). */
  domainRecheckMs: number
  /** Time after which the verification of the address counts as timed out. */
  domainPendingMs: number
  /** Time between two checks after that. */
  domainSlowMs: number
  /** Limit of one request to the address. */
  domainTryMs: number
  /** Time without a new commit after which the environment of a pull request is closed. */
  pullRequestIdleMs: number
}

/** The durations of an install: limits of the interface (docs/reference/limits.md), others by measurement. */
export const standardPolicy: Policy = {
  recheckMs: limits.controllerRecheckSeconds * second,
  failedPasses: limits.provisionFailedPasses,
  failingMs: limits.provisionFailedSeconds * second,
  attemptMs: 600_000,
  crashRestarts: 5,
  missingAgainMs: 1_000,
  steadyMs: 3_000,
  activityMs: 30_000,
  localMs: 10_000,
  copiesMs: 1_500,
  heartbeatMs: 3_000,
  retryMs: 200,
  retryMaxMs: 10_000,
  workflowTaskMs: 8_000,
  longWorkflowTaskMs: 60_000,
  stickyMs: 2_000,
  runLookMs: 15_000,
  releaseLookMs: 15_000,
  releaseSilentMs: 75_000,
  historyEvents: 2_000,
  resyncMs: 600_000,
  resyncPartMs: 180_000,
  resyncPage: 1_000,
  sweepMs: 600_000,
  dropMs: limits.logicalDatabaseDropSeconds * second,
  cloudSettleMs: 20_000,
  webhookTryMs: 10_000,
  webhookRetryMs: 5_000,
  webhookRetryMaxMs: 3_600_000,
  webhookGiveUpMs: 86_400_000,
  ciLookMs: 30_000,
  ciNewsMs: 5_000,
  ciSettleMs: 20_000,
  ciMissingMs: 300_000,
  ciEndMs: 7_200_000,
  callMs: limits.functionCallSeconds * second,
  callRetryMs: 1_000,
  callHeartbeatMs: 10_000,
  scheduleCatchUpMs: 3_600_000,
  domainRecheckMs: limits.domainRecheckSeconds * second,
  domainPendingMs: limits.domainPendingSeconds * second,
  domainSlowMs: limits.domainSlowRecheckSeconds * second,
  domainTryMs: 5_000,
  pullRequestIdleMs: limits.pullRequestIdleDays * 24 * 3_600_000,
}

/**
 * The standard policy with some durations replaced, e.g. from `SVC_POLICY` ({"recheckMs": 500}).
 * Throws a plain sentence for an unknown name or a value that is no positive number.
 */
export function policyWith(overrides: Readonly<Record<string, unknown>>): Policy {
  const policy: Policy = { ...standardPolicy }
  for (const [name, value] of Object.entries(overrides)) {
    if (!isPolicyName(name)) throw new Error(`the policy has no entry named ${name}`)
    if (typeof value !== 'number' || !(value > 0))
      throw new Error(`the policy's ${name} must be a positive number of milliseconds or times`)
    policy[name] = value
  }
  return policy
}

function isPolicyName(name: string): name is keyof Policy {
  return Object.hasOwn(standardPolicy, name)
}
