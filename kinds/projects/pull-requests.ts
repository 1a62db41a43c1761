/**
 * Environments of pull requests: what a project has noted of each, and what follows from that and from what the git
 * host says (docs/reference/projects.md#pull-request-environments).
 */
import { digest } from '../meta/digest.ts'
import { archivedEnvironments } from './archived.ts'
import type { Project, ProjectSpec } from './kind.ts'

/** A pull request as one project sees it. */
export interface PullRequestRef {
  project: string
  /** `owner/name` in lower case, which is how the git host compares them. */
  repository: string
  number: number
}

/** What the git host says of one. */
export interface PullRequest {
  readonly isOpen: boolean
  /** The newest commit of the pull request. */
  readonly commit: string
  /** Whether its commits come from another repository. */
  readonly isFork: boolean
}

export type PullRequestEntry = NonNullable<ProjectSpec['pullRequests']>[number]
/** One that has an environment. */
export type OpenPullRequest = PullRequestEntry & { environment: string; base: string; commit: string }

/** `<project>/<owner>/<name>/<number>`, which its workflow is named by. */
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

/** The environment that new ones are copies of: the first one until another is chosen. */
export const baseOf = ({ pullRequestEnvironments, environments }: ProjectSpec): string =>
  pullRequestEnvironments.baseEnvironment === '' ? (environments[0] ?? '') : pullRequestEnvironments.baseEnvironment

/** The installation of the git-host app that a pull request is read with: the one that the base builds from. */
export function installationOf(spec: ProjectSpec, ref: PullRequestRef): number | undefined {
  const base = entryOf(spec, ref)?.base ?? baseOf(spec)
  return spec.gitHosts?.find(({ environment }) => environment === base)?.installation
}

/** `pr-7`, or `pr-7-1f3a5b` where another repository or a person had that name first. */
export function namesFor({ repository, number }: PullRequestRef): readonly [string, string] {
  return [`pr-${number}`, `pr-${number}-${digest(repository.toLowerCase()).slice(0, 6)}`]
}

/** The name that its environment gets: one that no other has. */
export function environmentFor(spec: ProjectSpec, ref: PullRequestRef): string {
  const [plain, long] = namesFor(ref)
  return spec.environments.includes(plain) ? long : plain
}

/** Whether an environment was archived and something of it is still there. */
export const isLeaving = (project: Project, environment: string): boolean =>
  archivedEnvironments(project).includes(environment) ||
  project.status?.environments?.some(({ name, phase }) => name === environment && phase === 'Deleting') === true

export type Decision =
  /** To be made, or brought to this commit. */
  | { action: 'open'; commit: string }
  /** `isOver`: the pull request is closed, so nothing of it has to be kept. */
  | { action: 'close'; isOver: boolean; why: string }
  /** Stays as it is; `why` is said in the comment on the pull request unless it is empty. */
  | { action: 'rest'; why: string }

/**
 * What is to be done about a pull request. `pull` is undefined where it cannot be read any more: what was made stays
 * then until it was idle for long. Both times in milliseconds since 1970.
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
    // What was cut off before it was whole is gone on with.
    return { action: 'open', commit: entry.commit }
  }
  if (pull === undefined) return { action: 'close', isOver: true, why: 'the pull request cannot be read' }
  if (entry?.commit === pull.commit) return { action: 'rest', why: '' }
  if (!spec.pullRequestEnvironments.enabled) return { action: 'rest', why: '' }
  if (!isAllowed(entry, pull)) return { action: 'rest', why: askForAllowance(pull.commit) }
  const full = whyFull(spec)
  return full === undefined ? { action: 'open', commit: pull.commit } : { action: 'rest', why: full }
}

/** An admin allows a fork commit by commit: the next one may hold anything. */
export const isAllowed = (entry: PullRequestEntry | undefined, { isFork, commit }: PullRequest): boolean =>
  !isFork || entry?.allowed === commit

export const askForAllowance = (commit: string): string =>
  `commit ${commit.slice(0, 7)} comes from a fork and is not built before an admin of svc has allowed it`

/** Undefined while there is room for another one. */
export function whyFull(spec: ProjectSpec): string | undefined {
  const { maxOpen } = spec.pullRequestEnvironments
  const open = openPullRequests(spec).length
  return open < maxOpen ? undefined : `${open} of at most ${maxOpen} pull-request environments are open`
}

/**
 * The pull requests of a repository that ask for a look, by what is known of them: those whose delivery was missed, and
 * all with an environment, which may be idle or not whole. `open` are those of the git host; undefined
 * where it cannot be asked.
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
 * The spec without what belonged to environments that it lists no more: variables, links to the git host, and the
 * environments of pull requests, which count as closed. An environment of the same name later begins anew.
 */
export function withoutClosed(spec: ProjectSpec): ProjectSpec {
  const isListed = (environment: string): boolean => spec.environments.includes(environment)
  const { gitHosts = [], pullRequests, ...rest } = spec
  const links = gitHosts.filter(({ environment }) => isListed(environment))
  return {
    ...rest,
    sharedVariables: spec.sharedVariables.filter(({ environment }) => environment === '' || isListed(environment)),
    ...(links.length === 0 ? {} : { gitHosts: links }),
    ...(pullRequests === undefined ? {} : { pullRequests: pullRequests.map((each) => closedUnless(each, isListed)) }),
  }
}

function closedUnless(entry: PullRequestEntry, isListed: (environment: string) => boolean): PullRequestEntry {
  if (entry.environment === undefined || isListed(entry.environment)) return entry
  const { environment: _, base: _base, activeAt: _at, ...kept } = entry
  return kept
}
