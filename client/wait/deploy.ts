/**
 * Waits for the end of a service's deploy, judged from the service's status alone
 * (docs/reference/conventions.md#states).
 */
import type { View } from '../../contract/operations.ts'
import type { Client } from '../client.ts'
import { failed, staleMs, waitUntil, type PollOptions, type Verdict, type WaitResult } from './wait-until.ts'

export interface WaitOptions extends PollOptions<DeployStatus> {
  client: Client
  app: string
  /** The status read before the deploy was asked for. */
  before?: DeployStatus
  /** A rollback deploys no undeployed change: those that are saved are still there at its end. */
  leavesPending?: boolean
}

/** @throws ApiError when the service is gone or may not be read; whatever the signal was aborted with. */
export async function waitForDeploy({
  client,
  app,
  before,
  leavesPending = false,
  ...options
}: WaitOptions): Promise<WaitResult<DeployStatus>> {
  return await waitUntil({
    ...options,
    read: async (signal) => await client.call('apps.status', { app }, { signal }),
    judge: (status, elapsedMs) => judgeDeploy(status, { before, leavesPending, elapsedMs }),
    waitingFor: ({ message }) => message,
  })
}

export type DeployStatus = View<'apps.status'>

/**
 * A failed build ends the wait whatever the state, so it is believed at the second look even where nothing else moved.
 */
const staleBuildMs = 3_000

interface Since {
  /** The status read before the deploy was asked for; absent for a service that is new. */
  readonly before: DeployStatus | undefined
  /** Whether saved changes may be left at the end: then the attempt itself says that it is complete. */
  readonly leavesPending?: boolean
  /** Milliseconds since the deploy was accepted. */
  readonly elapsedMs: number
}

/**
 * Complete when the state is `ready` without pending changes, and the build, where there is one, succeeded; failed when
 * the state or the phase of the build is `failed` (docs/reference/conventions.md#states). A status from before the
 * deploy decides nothing. An attempt that succeeded with errors is svc's own rollback after a deploy that failed.
 */
export function judgeDeploy(status: DeployStatus, { before, leavesPending = false, elapsedMs }: Since): Verdict {
  const trusted = elapsedMs >= staleMs
  const attemptIsNew = trusted || !isSameAttempt(status, before)
  if (status.state === 'deleting') return failed('the service is being deleted')
  if (status.state === 'failed' && attemptIsNew) return failed(reasonOf(status))
  if (status.build?.phase === 'Failed' && (attemptIsNew || elapsedMs >= staleBuildMs || !isSameBuild(status, before))) {
    return failed(`the build failed${tail(status.build.failureReason)}`)
  }
  const [rolledBack] = status.lastAttempt?.phase === 'Succeeded' ? (status.lastAttempt.errors ?? []) : []
  if (rolledBack !== undefined && attemptIsNew) return failed(`${rolledBack}; the release before it runs again`)
  const built = status.build === undefined || status.build.phase === 'Succeeded'
  const deployed = status.pendingChanges === 0 || (leavesPending && status.lastAttempt?.phase === 'Succeeded')
  const complete = status.state === 'ready' && deployed && built
  return { kind: complete && attemptIsNew ? 'complete' : 'waiting' }
}

/** What a person reads about the work: the step, and what it waits for. */
export function describeDeploy(status: DeployStatus): { step: string; detail: string } {
  const { build, lastAttempt, replicas } = status
  const detail = status.message === '' ? (lastAttempt?.summary ?? '') : status.message
  if (build !== undefined && build.phase !== 'Succeeded') return { step: `build ${build.phase}`, detail }
  if (status.state === 'ready') {
    const { pendingChanges } = status
    return {
      step: 'ready',
      detail:
        pendingChanges === 0
          ? ''
          : `${pendingChanges} ${pendingChanges === 1 ? 'change is' : 'changes are'} not deployed`,
    }
  }
  const rolling = replicas.desired > 0 && replicas.ready < replicas.desired
  return { step: status.state === 'pending' && rolling ? 'rolling out' : status.state, detail }
}

/** A server that names no attempts gives nothing to compare, so its states are believed at once. */
function isSameAttempt(status: DeployStatus, before: DeployStatus | undefined): boolean {
  return before?.lastAttempt !== undefined && status.lastAttempt?.id === before.lastAttempt.id
}

function isSameBuild({ build }: DeployStatus, before: DeployStatus | undefined): boolean {
  return (
    before?.build !== undefined && build?.name === before.build.name && build.completedAt === before.build.completedAt
  )
}

function reasonOf({ message, lastAttempt }: DeployStatus): string {
  if (message !== '') return message
  const [first] = lastAttempt?.errors ?? []
  return first ?? lastAttempt?.summary ?? 'the service gives no reason'
}

const tail = (text: string | undefined): string => (text === undefined || text === '' ? '' : `: ${text}`)
