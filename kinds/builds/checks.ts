/** What the checks of a commit say together (docs/reference/builds.md#checks-of-a-commit). */
import type { Build, BuildStatus } from './kind.ts'

export type Check = NonNullable<BuildStatus['ciChecks']>[number]

/** Words of GitHub for check runs and commit statuses; every other word of theirs is a failure. */
const open = ['queued', 'in_progress', 'requested', 'waiting', 'pending', 'expected']
const passed = ['success', 'neutral', 'skipped']
const cancelled = ['cancelled']

/** Statuses that svc itself reports; a build that waited for those would wait for itself. */
export const ownContext = 'svc/'

/** How long a build waits for checks, in milliseconds. */
export interface CheckLimits {
  /** Between two looks without news. */
  lookMs: number
  /** Between two looks, whatever is new. */
  newsMs: number
  /** Before which passed checks do not count: the git host reports one after the other. */
  moreChecksMs: number
  /** Until the first check. */
  missingMs: number
  /** Until the last one has ended. */
  endMs: number
}

/** The state in GitHub's words where it has one, and a sentence that names the commit. */
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

/** Whether the build may start as far as checks go. */
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

/** The commit that a delivery of the git host reports a check of; undefined for any other delivery. */
export function checkedCommit(event: string, body: unknown): string | undefined {
  const { check_run: run, check_suite: suite, sha, context } = (body ?? {}) as Delivered
  const found = event === 'check_run' ? run?.head_sha : event === 'check_suite' ? suite?.head_sha : sha
  const isCheck = ['check_run', 'check_suite', 'status'].includes(event) && !isOwn(context)
  return isCheck && typeof found === 'string' && /^[0-9a-f]{40,64}$/.test(found) ? found : undefined
}

const isOwn = (context: unknown): boolean => typeof context === 'string' && context.startsWith(ownContext)

interface Delivered {
  check_run?: { head_sha?: unknown } | null
  check_suite?: { head_sha?: unknown } | null
  sha?: unknown
  context?: unknown
}
