/**
 * Environments of pull requests: the entry of each in its project, and the decisions that follow from it and from the
 * state at the git host (docs/reference/projects.md#pull-request-environments).
 */
import { defined } from '../../contract/defined.ts'
import { digest } from '../meta/digest.ts'
import { archivedEnvironments } from './archived.ts'
import type { Project, ProjectSpec } from './kind.ts'

/** A pull request in relation to one project. */
export interface PullRequestRef {
  project: string
  /** `owner/name` in lower case: the git host ignores case. */
  repository: string
  number: number
}

/** The state of a pull request at the git host. */
export interface PullRequest {
  readonly isOpen: boolean
  /** The newest commit of the pull request. */
  readonly commit: string
  /** Whether its commits come from another repository. */
  readonly isFork: boolean
}

export type PullRequestEntry = NonNullable<ProjectSpec['pullRequests']>[number]
/** A pull request that has an environment. */
export type OpenPullRequest = PullRequestEntry & { environment: string; base: string; commit: string }

/** `<project>/<owner>/<name>/<number>`, the key in the id of its workflow. */
export const pullRequestKey = ({ project, repository, number }: PullRequestRef): string =>
  `${project}/${repository.toLowerCase()}/${number}`

export function pullRequestOf(key: string): PullRequestRef {
  const [project = '', owner = '', name = '', number = ''] = key.split('/')
  return { project, repository: `${owner}/${name}`, number: Number(number) }
}

export function entryOf(
  { pullRequests = [] }: Pick<ProjectSpec, 'pullRequests'>,
  { repository, number }: Pick<PullRequestRef, 'repository' | 'number'>,
): PullRequestEntry | undefined {
  return pullRequests.find((each) => each.repository === repository.toLowerCase() && each.number === number)
}

export const isOpenHere = (entry: PullRequestEntry | undefined): entry is OpenPullRequest =>
  entry?.environment !== undefined

/** Pull requests with an environment. */
export const openPullRequests = ({ pullRequests = [] }: Pick<ProjectSpec, 'pullRequests'>): OpenPullRequest[] =>
  pullRequests.filter(isOpenHere)

/** The pull request that an environment was made for. */
export const pullRequestIn = (spec: ProjectSpec, environment: string): OpenPullRequest | undefined =>
  openPullRequests(spec).find((each) => each.environment === environment)

/** The environment that new ones copy: the first one until another is chosen. */
export const baseOf = ({ pullRequestEnvironments, environments }: ProjectSpec): string =>
  pullRequestEnvironments.baseEnvironment === '' ? (environments[0] ?? '') : pullRequestEnvironments.baseEnvironment

/** The installation of the git-host app for reading a pull request: the one that the base environment builds from. */
export function installationOf(spec: ProjectSpec, ref: PullRequestRef): number | undefined {
  const base = entryOf(spec, ref)?.base ?? baseOf(spec)
  return spec.gitHosts?.find(({ environment }) => environment === base)?.installation
}

/** `pr-7`, or `pr-7-1f3a5b` where another repository or a person has used that name. */
export function namesFor({ repository, number }: PullRequestRef): readonly [string, string] {
  return [`pr-${number}`, `pr-${number}-${digest(repository.toLowerCase()).slice(0, 6)}`]
}

/** A name for its environment that no other environment has. */
export function environmentFor(spec: ProjectSpec, ref: PullRequestRef): string {
  const [plain, long] = namesFor(ref)
  return spec.environments.includes(plain) ? long : plain
}

/** Whether an environment was archived and still has contents. */
export const isLeaving = (project: Project, environment: string): boolean =>
  archivedEnvironments(project).includes(environment) ||
  project.status?.environments?.some(({ name, phase }) => name === environment && phase === 'Deleting') === true

export type Decision =
  /** Create the environment, or bring it to this commit. */
  | { action: 'open'; commit: string }
  /** `isOver`: the pull request is closed, so its entry is removed as well. */
  | { action: 'close'; isOver: boolean; why: string }
  /** Nothing to do; `why`, if not empty, is written into the comment on the pull request. */
  | { action: 'rest'; why: string }

/**
 * What to do about a pull request. `pull` is undefined where it can no longer be read: the environment then stays until
 * it was idle for long. Both times in milliseconds since 1970.
 */
export function decide(
  { spec }: Project,
  ref: PullRequestRef,
  pull: PullRequest | undefined,
  { now, idleMs }: { now: number; idleMs: number },
): Decision {
  const entry = entryOf(spec, ref)
  if (pull?.isOpen === false) return { action: 'close', isOver: true, why: 'the pull request is closed' }
  if (isOpenHere(entry)) {
    const isNew = pull !== undefined && pull.commit !== entry.commit
    if (isNew && isAllowed(entry, pull)) return { action: 'open', commit: pull.commit }
    if (now - Date.parse(entry.activeAt ?? '') >= idleMs)
      return { action: 'close', isOver: false, why: 'there was no new commit for a long time' }
    // The environment may be incomplete after a crash, so it is opened again.
    return { action: 'open', commit: entry.commit }
  }
  if (pull === undefined) return { action: 'close', isOver: true, why: 'the pull request cannot be read' }
  if (entry?.commit === pull.commit) return { action: 'rest', why: '' }
  if (!spec.pullRequestEnvironments.enabled) return { action: 'rest', why: '' }
  if (!isAllowed(entry, pull)) return { action: 'rest', why: askForAllowance(pull.commit) }
  const full = whyFull(spec)
  return full === undefined ? { action: 'open', commit: pull.commit } : { action: 'rest', why: full }
}

/** An admin allows commits of a fork one by one: the next commit may contain anything. */
export const isAllowed = (entry: PullRequestEntry | undefined, { isFork, commit }: PullRequest): boolean =>
  !isFork || entry?.allowed === commit

export const askForAllowance = (commit: string): string =>
  `commit ${commit.slice(0, 7)} comes from a fork and is not built before an admin of svc has allowed it`

/** Why no further environment may be opened; undefined while one may. */
export function whyFull(spec: ProjectSpec): string | undefined {
  const { maxOpen } = spec.pullRequestEnvironments
  const open = openPullRequests(spec).length
  return open < maxOpen ? undefined : `${open} of at most ${maxOpen} pull-request environments are open`
}

/**
 * The pull requests of a repository that have to be reconciled: those whose delivery was missed, and all with an
 * environment, which may be idle or incomplete. `open` are those at the git host; undefined where it does not answer.
 */
export function toLookAt(
  spec: ProjectSpec,
  repository: string,
  open: ReadonlyMap<number, PullRequest> | undefined,
): number[] {
  const known = (spec.pullRequests ?? []).filter((each) => each.repository === repository)
  const changed = known.filter((entry) => {
    const pull = open?.get(entry.number)
    if (isOpenHere(entry) || (open !== undefined && pull === undefined)) return true
    return pull !== undefined && pull.commit !== entry.commit && isAllowed(entry, pull)
  })
  const isNew = ([number, { isFork }]: [number, PullRequest]): boolean =>
    !isFork && !known.some((entry) => entry.number === number)
  const free = spec.pullRequestEnvironments.enabled && whyFull(spec) === undefined
  const missed = free ? [...(open ?? [])].filter(isNew).map(([number]) => number) : []
  const capacity = spec.pullRequestEnvironments.maxOpen - openPullRequests(spec).length
  return [...changed.map(({ number }) => number), ...missed.toSorted((a, b) => a - b).slice(0, capacity)]
}

/**
 * The spec without the parts of environments that it no longer lists: variables, links to the git host, and
 * environments of pull requests, which count as closed. A later environment of the same name begins without them.
 */
export function withoutClosed(spec: ProjectSpec): ProjectSpec {
  const isListed = (environment: string): boolean => spec.environments.includes(environment)
  const { gitHosts = [], pullRequests, ...rest } = spec
  const links = gitHosts.filter(({ environment }) => isListed(environment))
  return {
    ...rest,
    sharedVariables: spec.sharedVariables.filter(({ environment }) => environment === '' || isListed(environment)),
    ...(links.length === 0 ? {} : { gitHosts: links }),
    ...defined({ pullRequests: pullRequests?.map((each) => closedUnless(each, isListed)) }),
  }
}

function closedUnless(entry: PullRequestEntry, isListed: (environment: string) => boolean): PullRequestEntry {
  if (entry.environment === undefined || isListed(entry.environment)) return entry
  const { environment: _, base: _base, activeAt: _at, ...kept } = entry
  return kept
}
