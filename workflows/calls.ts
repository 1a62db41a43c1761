/**
 * The activities as workflows call them: each call with a name for the Temporal UI, and the retry rules of the policy.
 */
import {
  ActivityCancellationType,
  type ActivityInterfaceFor,
  type ActivityOptions,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow'
import type { createAppActivities } from '../activities/apps/activities.ts'
import type { Prepared, PreparedInTask, PrepareInput } from '../activities/apps/messages.ts'
import type { createPlatformActivities } from '../activities/platform/activities.ts'
import type { createProjectActivities } from '../activities/projects/activities.ts'
import type { ProvisionedActivities } from '../activities/provisioned-kinds.ts'
import type { createResyncActivities } from '../activities/resync/activities.ts'
import type { PageInput, PageReport } from '../activities/resync/page.ts'
import type { Sweep } from '../activities/resync/sweep.ts'
import { controlQueue } from '../durable/queues.ts'
import { noAttempt } from '../durable/messages.ts'
import type { Policy } from '../durable/policy.ts'
import type { Plan } from '../kinds/apps/deploy/plan.ts'
import { type ComparedKind, comparedKinds } from '../kinds/meta/resource-types.ts'

type Activities = ReturnType<typeof createAppActivities> &
  ReturnType<typeof createProjectActivities> &
  ProvisionedActivities &
  ReturnType<typeof createPlatformActivities>

type Call<Input, Output> = (input: Input) => Promise<Output>

/** The calls of one policy: reads run as local activities, others as activities named for the Temporal UI. */
export interface Calls<Known = Activities> {
  reads: ActivityInterfaceFor<Known>
  activity: (summary: string) => ActivityInterfaceFor<Known>
  /**
   * The passes of a deploy: as a local activity within the workflow task, which saves a round trip and most of the
   * history; if that one try fails, as an activity, retried without end. Runs of former releases have only activities.
   */
  pass: <Input, Output>(
    choose: (calls: ActivityInterfaceFor<Known>) => Call<Input, Output>,
    summary: string,
  ) => Call<Input, Output>
}

/**
 * Activities are retried without end: the cluster may be unreachable for a while, and its refusals are results, not
 * errors. A worker without heartbeats counts as dead, so another one has its work within seconds of a kill. `Known`:
 * the activities that are called, e.g. `ReturnType<typeof createBuildActivities>`.
 */
export function callsFor<Known = Activities>(policy: Policy): Calls<Known> {
  const timing = {
    startToCloseTimeout: policy.activityMs,
    retry: { initialInterval: policy.retryMs, maximumInterval: policy.retryMaxMs, backoffCoefficient: 2 },
  }
  const options: ActivityOptions = { taskQueue: controlQueue, heartbeatTimeout: policy.heartbeatMs, ...timing }
  const activity = (summary: string) => proxyActivities<Known>({ ...options, summary })
  const local = (summary: string) =>
    proxyLocalActivities<Known>({ startToCloseTimeout: policy.localMs, retry: { maximumAttempts: 1 }, summary })
  return {
    // A read takes a few milliseconds, so it runs within the workflow task: one round trip less before the work begins.
    reads: proxyLocalActivities<Known>(timing),
    activity,
    pass: (choose, summary) =>
      policy.localMs > 0 ? inTask(choose(local(summary)), choose(activity(summary))) : choose(activity(summary)),
  }
}

/** Tries the local activity, then the activity: a pass is complete in itself, so repeating it elsewhere is harmless. */
const inTask =
  <Input, Output>(local: Call<Input, Output>, activity: Call<Input, Output>): Call<Input, Output> =>
  async (input) => {
    try {
      return await local(input)
    } catch (error) {
      if (isCancellation(error)) throw error
      return activity(input)
    }
  }

/** The activities of services, projects and the platform; those of provisioned kinds are in provisioned-kinds.ts. */
export function activitiesFor(policy: Policy) {
  const { reads, activity, pass } = callsFor(policy)
  const lookAtRollout = pass((calls) => calls.lookAtService, 'Look at the copies and write how they are')
  const lookForDrift = pass((calls) => calls.lookAtService, 'Check that what was made is still there')
  const prepare = activity('Accept the attempt and apply its release').prepareService
  const prepareInTask = pass((calls) => calls.prepareServiceInTask, 'Accept the attempt and apply its release')
  return {
    apps: {
      readPlan: reads.readServicePlan,
      start: pass((calls) => calls.startService, 'Read what the record asks for, and apply its release'),
      deployExternalEdit: activity('Turn an edit by kubectl into a deploy').adoptEdit,
      recordExternalEdit: activity('Add an edit by kubectl to the pending changes').noteEdit,
      /** A pass that may take longer than a workflow task is an activity. `firstPass`: the result of `start`. */
      prepare: async (input: PrepareInput, firstPass?: PreparedInTask): Promise<Prepared> => {
        if (!(policy.localMs > 0)) return prepare(input)
        const prepared = firstPass ?? (await prepareInTask(input))
        return prepared.outcome === 'long' ? prepare(input) : prepared
      },
      lookAtRollout,
      /** `ended`: an attempt that is over, and whose end no step of the run has returned. */
      checkDrift: ({ name, uid, intent }: Plan, ended?: string) =>
        lookForDrift({
          name,
          uid,
          intent,
          attempt: noAttempt,
          deadlinePassed: false,
          ...(ended === undefined ? {} : { ended }),
        }),
      autoRollback: activity('Roll back a failed deploy').putBackRelease,
      markFailed: activity('End the attempt: it could not be carried out').giveUpService,
      tearDown: activity('Take down what was made').tearDownService,
    },
    projects: {
      readPlan: reads.readProjectPlan,
      reconcile: activity('Set up the environments').settleProject,
      markFailed: activity('Write that the environments could not be set up').giveUpProject,
      remove: activity('Remove what belongs to the project').removeProject,
    },
    platform: platformActivities(policy),
  }
}

/**
 * Activities of the platform wait by failing with the delay of their next retry: a wait holds no slot, and adds nothing
 * to the history.
 */
function platformActivities(policy: Policy) {
  const options: ActivityOptions = {
    taskQueue: controlQueue,
    heartbeatTimeout: policy.heartbeatMs,
    // A wake cancels them: the running try has to stop before the next pass.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: policy.retryMs, maximumInterval: policy.retryMaxMs, backoffCoefficient: 2 },
    startToCloseTimeout: policy.activityMs,
  }
  const activity = (summary: string) =>
    proxyActivities<ReturnType<typeof createPlatformActivities>>({ ...options, summary })
  const { recheckMs, activityMs, domainRecheckMs, domainPendingMs, domainSlowMs, domainTryMs } = policy
  const verifying = { recheckMs: domainRecheckMs, pendingMs: domainPendingMs, slowMs: domainSlowMs, tryMs: domainTryMs }
  return {
    readPlan: proxyLocalActivities<ReturnType<typeof createPlatformActivities>>({
      startToCloseTimeout: policy.activityMs,
    }).readPlatformPlan,
    reconcileDns: () =>
      activity('Bring the DNS provider to what is asked for').settleDns({ recheckMs, passMs: activityMs / 2 }),
    checkDomain: () => activity('Verify the address of the dashboard').checkDomain(verifying),
  }
}

/** The kinds of the first release whose resync had parts: recorded runs compare these without a patch. */
const firstKinds: ReadonlySet<ComparedKind> = new Set([
  'project',
  'app',
  'logicalDatabase',
  'database',
  'objectStore',
  'cloudConnection',
])
/** The kinds whose patches have names of their own; every later kind has a patch of its own name. */
const patchedKinds: ReadonlySet<ComparedKind> = new Set(['backupArchive', 'build'])

/**
 * The parts of the resync, in the order in which they are started. None is retried without end: records that a part
 * does not reach in its time are left to the next resync.
 */
export function resyncActivities(policy: Policy) {
  const activity = (summary: string, tries: ActivityOptions = {}) =>
    proxyActivities<ReturnType<typeof createResyncActivities>>({
      taskQueue: controlQueue,
      summary,
      startToCloseTimeout: policy.resyncPartMs,
      scheduleToCloseTimeout: 2 * policy.resyncPartMs,
      heartbeatTimeout: policy.heartbeatMs,
      retry: { initialInterval: policy.retryMs, maximumInterval: policy.retryMaxMs, backoffCoefficient: 2 },
      ...tries,
    })
  const wakeDue = (kind: ComparedKind) => {
    const { words } = comparedKinds[kind]
    const wake = (page: PageInput) =>
      activity(`Wake ${words} that have work and no open run`).wakeDue({ ...page, kind })
    return [words, wake] as const
  }
  const kinds = Object.keys(comparedKinds) as ComparedKind[]
  const later = kinds.filter((kind) => !firstKinds.has(kind) && !patchedKinds.has(kind))
  const sweep = (what: Sweep, summary: string) => () => activity(summary).sweep({ what })
  const parts: Readonly<Record<string, (page: PageInput) => Promise<PageReport>>> = {
    ...Object.fromEntries(kinds.filter((kind) => firstKinds.has(kind)).map(wakeDue)),
    platform: () => activity('Wake the platform if it is due').wakePlatform(),
    'bindings of environments': () => activity('Bind the rights in each environment').bindEnvironments(),
    'platform settings': () => activity('Finish saves of settings that were cut off').followSettings(),
    'object server': () => activity('Look at the object server').lookAtObjectServer(),
    AWS: () => activity('Look at AWS').lookAtAws(),
    'database servers': () => activity('Look at database servers elsewhere').lookAtDatabaseServers(),
    'logins of logical databases': () => activity('Try the logins of logical databases').lookAtLogicalDatabases(),
    webhooks: (page) => activity('Send webhooks the events they missed').tellMissedEvents(page),
    'frozen secrets': sweep('releases', 'Remove frozen secrets without a deploy'),
    // A run that continues as a new one carries the names of its parts: this one is older than what it removes now.
    'history of deploys': sweep('history', 'Remove what is left of records that are gone'),
    'secrets of webhooks': sweep('webhookSecrets', 'Remove secrets of webhooks that are gone'),
    'keys of cloud connections': sweep('cloudKeys', 'Remove keys without a cloud connection'),
    'shared values': sweep('sharedValues', 'Remove shared values that nothing refers to'),
  }
  const [backups, wakeBackups] = wakeDue('backupArchive')
  const ofBackups: typeof parts = {
    'due backups': (page) => activity('Begin the backups that are due').askDueBackups(page),
    'old backups': (page) => activity('Remove backups that are older than they are kept').removeOldBackups(page),
    [backups]: wakeBackups,
  }
  const ofDrills: typeof parts = {
    'due restore drills': (page) => activity('Restore backups on trial whose time has come').askDueDrills(page),
  }
  return {
    parts,
    /** Parts that are newer than the first release with parts, by the names of their patches: older runs lack them. */
    newerParts: {
      backups: ofBackups,
      builds: Object.fromEntries([wakeDue('build')]),
      'pull-requests': {
        'pull requests': (page) => activity('Compare pull requests with the git host').lookAtPullRequests(page),
      },
      'missed-pushes': {
        'missed pushes': (page) => activity('Deploy pushes whose delivery was missed').deployMissedPushes(page),
      },
      schedules: {
        'schedules of functions': (page) => activity('Compare schedules with Temporal').lookAtSchedules(page),
        'schedules of nothing': sweep('schedules', 'Remove schedules that no function has'),
      },
      drills: ofDrills,
      'bad-backups': {
        'bad backups': (page) => activity('Notify webhooks of backups that turned bad').tellBadBackups(page),
      },
      'logical-backups': {
        'backups of logical databases': (page) =>
          activity('Begin backups of logical databases that are due, and their drills').followLogicalBackups(page),
      },
      'bucket-backups': {
        'backups of buckets': (page) =>
          activity('Begin backups of buckets that are due, and their drills').followBucketBackups(page),
      },
      ...Object.fromEntries(later.map((kind) => [kind, Object.fromEntries([wakeDue(kind)])])),
    } satisfies Readonly<Record<string, typeof parts>>,
    former: () =>
      activity('Compare every record with its workflow', { scheduleToCloseTimeout: undefined }).compareRecords(),
  }
}

export type AppActivities = ReturnType<typeof activitiesFor>['apps']
