/** Everything a handler may use, passed in at the start. */
import type { ClusterClient } from '../../cluster/client.ts'
import type { RunAttributes } from '../../durable/messages.ts'
import type { Logger } from '../../cluster/objects/log.ts'
import type { GitPushInput } from '../../kinds/apps/git/git-delivery.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { PushInput } from '../../kinds/apps/git/push.ts'
import type { PullRequestRef } from '../../kinds/projects/pull-requests.ts'
import type { ReconciledKind } from '../../kinds/meta/resource-types.ts'
import type { FullVolume } from '../../kinds/pods/full-volumes.ts'
import type { Aws } from '../../outside/aws/account.ts'
import type { GitHost } from '../../outside/githost/githost.ts'
import type { LogStore } from '../../outside/logs/log-store.ts'
import type { MetricsStore } from '../../outside/metrics/prometheus.ts'
import type { WebhookSender } from '../../outside/webhooks/sender.ts'
import type { KnownDevices } from '../../records/auth/device-cookie.ts'
import type { DeviceSignIns } from '../../records/auth/device-sign-ins.ts'
import type { Lockout } from '../../records/auth/lockout.ts'
import type { UserAdmin } from '../../records/auth/manage-users.ts'
import type { Passwords } from '../../records/auth/passwords.ts'
import type { PollPace } from '../../records/auth/poll-pace.ts'
import type { Sessions } from '../../records/auth/session-cookie.ts'
import type { StartLimit } from '../../records/auth/start-limit.ts'
import type { Users } from '../../records/auth/users.ts'
import type { Tokens } from '../../records/tokens/tokens.ts'
import type { Redeliveries } from '../../temporal/client/redeliveries.ts'
import type { Runs } from '../../temporal/client/runs.ts'
import type { Caches } from './caches.ts'
import type { Records, Writes } from './writes.ts'

/** Wakes a record's workflow, in the background; a lost wake does no harm, since the watch repeats it. */
export interface Wakes {
  wake(
    kind: ReconciledKind,
    name: string,
    why: { reason: string; actor: string; requestId: string; intent?: string },
    attributes?: RunAttributes,
  ): void
  /** The record of a service as it is now, or as it was when it was deleted: says which deploys were accepted. */
  note(app: App, isGone: boolean): void
}

/** Work for events of git hosts. Each call resolves when the work is durable, and rejects without Temporal. */
export interface Pushes {
  /** A repeated delivery starts nothing. */
  start(input: PushInput): Promise<void>
  /** As `start`, for one service, by the plain webhook of its git server. */
  startGit(input: GitPushInput): Promise<void>
  /** Wakes the reconciliation of a pull request's environment; harmless to repeat. */
  wakePullRequest(ref: PullRequestRef, why: { reason: string; actor?: string; requestId?: string }): Promise<void>
}

/** Runs of schedules that a caller starts. */
export interface ScheduleStarts {
  /**
   * Starts one run now, after a current one has ended; `planned` is a whole second. False where the schedule does not
   * exist. Rejects without Temporal.
   */
  run(app: string, schedule: string, planned: Date): Promise<boolean>
}

/** Signing in: users, sessions, device sign-ins and their limits. */
export interface SignIn {
  readonly users: Users
  readonly userAdmin: UserAdmin
  readonly passwords: Passwords
  readonly sessions: Sessions
  readonly lockout: Lockout
  readonly knownDevices: KnownDevices
  readonly devices: DeviceSignIns
  readonly deviceStarts: StartLimit
  /** Called after each sign-in by password: the first one removes the Secret with the first password. */
  readonly signedIn: (username: string) => Promise<void>
  readonly pollPace: PollPace
}

export interface PodFollow {
  readonly uid: string
  readonly namespace: string
  readonly pod: string
  readonly container: string
  /** Time of the last line that the listener has, '' for none; the lines of that second are sent again. */
  readonly last: string
  /** How far back to begin where `last` is ''. */
  readonly sinceSeconds: number | undefined
  readonly signal: AbortSignal
}

export interface PodFollows {
  /**
   * Yields lines with their time in front, from the second of the last one on, until the container ends, the signal
   * fires, or the listener falls too far behind the other listeners of the pod; then the listener has to follow again.
   * Throws ClusterError when the connection breaks. Yields nothing while too many pods are followed.
   */
  follow(wanted: PodFollow): AsyncGenerator<string>
  /** Connections that follow a pod right now. */
  readonly open: number
}

export interface Needs {
  readonly client: ClusterClient
  readonly caches: Caches
  readonly records: Records
  readonly writes: Writes
  readonly wakes: Wakes
  readonly pushes: Pushes
  readonly runs: Runs
  readonly redeliveries: Redeliveries
  readonly scheduleStarts: ScheduleStarts
  readonly signIn: SignIn
  readonly tokens: Tokens
  readonly podFollows: PodFollows
  /** For test deliveries, and for the check of webhook addresses. */
  readonly webhooks: WebhookSender
  /** The history of logs, where there is one. */
  readonly logStore: LogStore | undefined
  /** The sentence on how an install without a log store gets one; may be empty. */
  readonly logStoreHint: string
  readonly metrics: MetricsStore
  /** Almost full volumes of the whole cluster, by the metrics store. */
  readonly fullVolumes: () => Promise<readonly FullVolume[]>
  readonly gitHost: GitHost
  /** Address at which functions are called, for an api that cannot reach the addresses of Services. */
  readonly functionEndpoint: { readonly host: string; readonly port: number } | undefined
  /** For the list of resources left in a cloud. */
  readonly aws: Aws
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly log: Logger
}
