/** The combined result of the checks of a commit (docs/reference/builds.md#checks-of-a-commit). */
import { commitHash } from '../../contract/fields/patterns.ts'
import type { Build, BuildStatus } from './kind.ts'

export type Check = NonNullable<BuildStatus['ciChecks']>[number]

/** States of check runs and commit statuses at GitHub; every other state counts as a failure. */
const open = ['queued', 'in_progress', 'requested', 'waiting', 'pending', 'expected']
const passed = ['success', 'neutral', 'skipped']
const cancelled = ['cancelled']

/** Prefix of the statuses that svc itself reports: a build that waited for those would wait for itself. */
export const ownContext = 'svc/'

/** How long a build waits for checks, in milliseconds. */
export interface CheckLimits {
  /** Between two reads of the checks without an event from the git host. */
  lookMs: number
  /** The least time between two reads, whatever events arrive. */
  newsMs: number
  /** So long passed checks do not count: the git host reports them one after the other. */
  moreChecksMs: number
  /** How long the build waits for the first check. */
  missingMs: number
  /** How long it waits for the last check to end. */
  endMs: number
}

/** The state, in GitHub's words where there is one, and a sentence with the commit. */
export interface Verdict {
  state: 'pending' | 'success' | 'failure' | 'cancelled' | 'missing' | 'timed_out'
  why: string
}

/** @param waitedMs how long the build has waited */
export function verdictOf(checks: readonly Check[], commit: string, waitedMs: number, limits: CheckLimits): Verdict {
  const of = `of commit ${commit.slice(0, 7)}`
  const left = checks.filter(({ state }) => open.includes(state))
  const stopped = checks.filter(({ state }) => cancelled.includes(state))
  const failed = checks.filter(({ state }) => ![...open, ...passed, ...cancelled].includes(state))
  if (failed.length > 0) return { state: 'failure', why: `the checks ${of} failed: ${names(failed)}` }
  if (stopped.length > 0) return { state: 'cancelled', why: `the checks ${of} were cancelled: ${names(stopped)}` }
  if (checks.length === 0)
    return waitedMs >= limits.missingMs
      ? { state: 'missing', why: `no check ${of} was reported within ${inWords(limits.missingMs)}` }
      : { state: 'pending', why: `waiting for the git host to report checks ${of}` }
  if (left.length > 0)
    return waitedMs >= limits.endMs
      ? { state: 'timed_out', why: `the checks ${of} did not end within ${inWords(limits.endMs)}: ${names(left)}` }
      : { state: 'pending', why: `waiting for the checks ${of}: ${names(left)}` }
  if (waitedMs < limits.moreChecksMs) return { state: 'pending', why: `waiting whether there are more checks ${of}` }
  return { state: 'success', why: `the checks ${of} have passed` }
}

/** Whether checks no longer keep the build from starting. */
export const isChecked = ({ spec, status }: Pick<Build, 'spec' | 'status'>): boolean =>
  !spec.waitForCI || status?.ciState === 'success'

const namesMax = 5

function names(checks: readonly Check[]): string {
  const first = checks.slice(0, namesMax).map(({ name }) => name)
  const more = checks.length - first.length
  return more === 0 ? first.join(', ') : `${first.join(', ')} and ${more} more`
}

function inWords(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000)
  return minutes > 0 ? `${minutes} minutes` : `${Math.round(milliseconds / 1000)} s`
}

/** The commit of the check that a delivery of the git host reports; undefined for any other delivery. */
export function checkedCommit(event: string, body: unknown): string | undefined {
  const { check_run: run, check_suite: suite, sha, context } = (body ?? {}) as Delivered
  const found = event === 'check_run' ? run?.head_sha : event === 'check_suite' ? suite?.head_sha : sha
  const isCheck = ['check_run', 'check_suite', 'status'].includes(event) && !isOwn(context)
  return isCheck && typeof found === 'string' && commitHash.test(found) ? found : undefined
}

const isOwn = (context: unknown): boolean => typeof context === 'string' && context.startsWith(ownContext)

interface Delivered {
  check_run?: { head_sha?: unknown } | null
  check_suite?: { head_sha?: unknown } | null
  sha?: unknown
  context?: unknown
}
