/**
 * Opens and closes environments of pull requests: each is one conditional write of the project's record, from which
 * the rest follows (docs/reference/projects.md#pull-request-environments).
 */
import { refuse } from '../../contract/problem.ts'
import { pullRequestsMax } from '../../kinds/meta/bounds.ts'
import { archivedEnvironments, withArchived } from '../../kinds/projects/archived.ts'
import type { Project, ProjectSpec } from '../../kinds/projects/kind.ts'
import {
  baseOf,
  entryOf,
  environmentFor,
  installationOf,
  isOpenHere,
  type OpenPullRequest,
  type PullRequestEntry,
  type PullRequestRef,
  whyFull,
  withoutClosed,
} from '../../kinds/projects/pull-requests.ts'
import { refuseUnknownEnvironment } from '../place/project-environment.ts'
import { editProject, editProjectRecord, type ProjectNeeds } from './edit-project.ts'
import { refuseLast, refuseUnfit } from './save-settings.ts'
import { defined } from '../../contract/defined.ts'

/**
 * The environment of the pull request: made with the commit that `commitFor` says of the project as it is when that is
 * written, or noted with it where it is there. Throws Problem invalid_request, e.g. where as many as may be are open
 * already.
 * @param at the moment of this commit, RFC 3339
 */
export async function openPullRequest(
  needs: ProjectNeeds,
  ref: PullRequestRef,
  { commitFor, isFork, at }: { commitFor: (project: Project) => string; isFork: boolean; at: string },
): Promise<{ project: Project; entry: OpenPullRequest }> {
  const project = await editProject(needs, ref.project, (current) => {
    const commit = commitFor(current)
    const entry = entryOf(current.spec, ref)
    if (!isOpenHere(entry)) return withNew(current, ref, { commit, isFork, at })
    return entry.commit === commit ? current.spec : withEntry(current.spec, { ...entry, commit, activeAt: at })
  })
  const entry = entryOf(project.spec, ref)
  if (!isOpenHere(entry)) throw refuse('the environment was closed meanwhile')
  return { project, entry }
}

function withNew(
  project: Project,
  ref: PullRequestRef,
  { commit, isFork, at }: { commit: string; isFork: boolean; at: string },
): ProjectSpec {
  const { spec } = project
  const full = whyFull(spec)
  if (full !== undefined) throw refuse(full)
  const base = baseOf(spec)
  refuseUnknownEnvironment(project, base)
  const environment = environmentFor(spec, ref)
  if (spec.environments.includes(environment)) throw refuse(`the environment ${environment} already exists`)
  refuseUnfit(project, environment)
  const { allowed } = entryOf(spec, ref) ?? {}
  const installation = installationOf(spec, ref)
  const links = (spec.gitHosts ?? []).filter((each) => each.environment !== environment)
  const opened = withEntry(spec, {
    repository: ref.repository.toLowerCase(),
    number: ref.number,
    environment,
    base,
    commit,
    activeAt: at,
    ...(isFork ? { fork: true } : {}),
    ...defined({ allowed }),
  })
  return {
    ...opened,
    environments: [...spec.environments, environment],
    ...(installation === undefined ? {} : { gitHosts: [...links, { environment, installation }] }),
  }
}

/**
 * Archives its environment; the project's workflow deletes what was in it. What is kept of the pull request says at
 * which commit, so that the environment opens again with another one.
 */
export async function closePullRequest(needs: ProjectNeeds, ref: PullRequestRef, ifMatch?: string): Promise<Project> {
  return editProjectRecord(
    needs,
    ref.project,
    (project) => {
      const entry = entryOf(project.spec, ref)
      if (!isOpenHere(entry)) return project
      const environments = project.spec.environments.filter((each) => each !== entry.environment)
      refuseLast(project.spec, environments)
      const archived = withArchived(project, [...archivedEnvironments(project), entry.environment])
      return { ...archived, spec: withoutClosed({ ...project.spec, environments }) }
    },
    ifMatch,
  )
}

/**
 * Lets the commit of a fork be built: that one alone, since the admin who allows it has read that one. It need not be
 * known here yet.
 */
export async function allowCommit(
  needs: ProjectNeeds,
  { project, ...pull }: PullRequestRef,
  commit: string,
  ifMatch?: string,
): Promise<Project> {
  const repository = pull.repository.toLowerCase()
  return editProject(
    needs,
    project,
    ({ spec }) => {
      const entry = entryOf(spec, pull) ?? { repository, number: pull.number }
      if (entry.allowed === commit) return spec
      const fits = (spec.pullRequests ?? []).length < pullRequestsMax || entryOf(spec, pull) !== undefined
      if (!fits) throw refuse(`a project can know at most ${pullRequestsMax} pull requests`)
      return withEntry(spec, { ...entry, allowed: commit })
    },
    ifMatch,
  )
}

/** Of a pull request that is closed at the git host, and whose environment is gone, nothing is kept. */
export async function forgetPullRequest(needs: ProjectNeeds, ref: PullRequestRef): Promise<Project> {
  return editProject(needs, ref.project, ({ spec }) => {
    const entry = entryOf(spec, ref)
    if (entry === undefined || isOpenHere(entry)) return spec
    const { pullRequests = [], ...others } = spec
    const rest = pullRequests.filter((each) => each !== entry)
    return rest.length === 0 ? others : { ...others, pullRequests: rest }
  })
}

function withEntry(spec: ProjectSpec, entry: PullRequestEntry): ProjectSpec {
  const others = (spec.pullRequests ?? []).filter((each) => each !== entryOf(spec, entry))
  return { ...spec, pullRequests: [...others, entry] }
}
