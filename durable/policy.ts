/** Every duration (milliseconds) and count of the durable workflows in one place, so that tests can compress time. */
import * as limits from '../contract/limits.ts'

const second = 1000

export interface Policy {
  /** How long a wait rests before it looks again without a wake (docs/reference/limits.md#controller-retry). */
  recheckMs: number
  /** Failure-class passes in a row that end in ProvisionFailed (docs/reference/limits.md#controller-retry). */
  failedPasses: number
  /** Time of consecutive failure-class passes that ends in ProvisionFailed, whichever comes first. */
  failingMs: number
  /**
   * How long a deploy attempt may wait for its copies before it ends Failed; the service itself may still come up
   * later.
   */
  attemptMs: number
  /** Restarts of a container of the new release after which an attempt ends Failed before its deadline. */
  crashRestarts: number
  /**
   * How long a copy without a readiness probe must have run before it counts as up: one that dies at once never does.
   * Whole seconds count.
   */
  steadyMs: number
  /** One try of an activity that talks to the cluster. */
  activityMs: number
  /**
   * One try of a pass within the workflow task, before it is done as an activity of its own. Absent in runs of former
   * releases, whose histories have every pass as an activity.
   */
  localMs: number
  /**
   * How long a deploy waits for its copies within the workflow task, before its run rests until a wake. Absent in runs
   * of former releases, which rest at once.
   */
  copiesMs: number
  /** How long an activity stays with a silent worker. */
  heartbeatMs: number
  /** Pause before an activity is tried again; doubles up to the maximum. */
  retryMs: number
  retryMaxMs: number
  /**
   * One workflow task; short, so that a killed worker's work moves on soon, and long enough for a machine that has more
   * to do than it can: what comes too late is done again.
   */
  workflowTaskMs: number
  /** One of a run whose former one was ended since no worker answered in time. */
  longWorkflowTaskMs: number
  /** How long a workflow waits for the worker that caches it before any other may take it. */
  stickyMs: number
  /** Between two looks of a worker for runs whose workflow task fails again and again. */
  runLookMs: number
  /** Between two looks of a worker at which release of svc has the work. */
  releaseLookMs: number
  /**
   * After which a release whose workers do not ask for work has none; longer than a poll, which lasts up to a minute.
   */
  releaseSilentMs: number
  /**
   * Events in the history of a run after which it continues as new; far below the 51,200 at which Temporal ends a run.
   */
  historyEvents: number
  /** Between two comparisons of all records. */
  resyncMs: number
  /** One try of a part of the comparison; twice as long, and the part is left to the next one. */
  resyncPartMs: number
  /** Records that one activity of the comparison looks at. */
  resyncPage: number
  /** Age of frozen secrets without an accepted deploy at which they are swept; far longer than a request takes. */
  sweepMs: number
  /**
   * How long the deletion of a logical database waits for its drop
   * (docs/reference/limits.md#logical-database-drop-wait).
   */
  dropMs: number
  /** After which a call to a cloud that was cut off has come about, or never will; longer than its deadline. */
  cloudSettleMs: number
  /** One try to deliver a webhook, from the resolving of the name to the end of the answer. */
  webhookTryMs: number
  /** Pause before a webhook is tried again; doubles up to the maximum. */
  webhookRetryMs: number
  webhookRetryMaxMs: number
  /** After which an event that was not delivered is given up; also how long a lost start of a delivery is made good. */
  webhookGiveUpMs: number
  /** Between two looks at the checks of a commit without news (docs/reference/builds.md#checks-of-a-commit). */
  ciLookMs: number
  /** Between two looks at them, whatever events the git host sends. */
  ciNewsMs: number
  /** How long a build waits for more checks before those that passed count. */
  ciSettleMs: number
  /** How long it waits for the first one. */
  ciMissingMs: number
  /** How long it waits for the last one to end. */
  ciEndMs: number
  /** How long one run of a schedule may take, from the first try to reach the function to the end of its answer. */
  callMs: number
  /** Pause before a connection to a function is tried again; doubles up to `retryMaxMs`. */
  callRetryMs: number
  /** After which a silent worker has ended while it called a function: long, since nothing is done in its place. */
  callHeartbeatMs: number
  /** How late a run of a schedule may begin, after an outage; a later one is missed. */
  scheduleCatchUpMs: number
  /** Between two checks of the dashboard's address (docs/reference/limits.md#domain-verification). */
  domainRecheckMs: number
  /** After which its verification counts as timed out. */
  domainPendingMs: number
  /** Between two checks from then on. */
  domainSlowMs: number
  /** One try to reach it. */
  domainTryMs: number
  /** Without a new commit after which the environment of a pull request is closed. */
  pullRequestIdleMs: number
}

/** The limits of the interface (docs/reference/limits.md) and what measurements showed. */
export const standardPolicy: Policy = {
  recheckMs: limits.controllerRecheckSeconds * second,
  failedPasses: limits.provisionFailedPasses,
  failingMs: limits.provisionFailedSeconds * second,
  attemptMs: 600_000,
  crashRestarts: 5,
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
