/**
 * Opens and closes environments of pull requests: one conditional write of the project's record each, from which all
 * later steps follow (docs/reference/projects.md#pull-request-environments).
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
 * Creates the environment of the pull request, or updates its commit. `commitFor` computes the commit from the project
 * that is replaced. Throws Problem invalid_request, e.g. when the limit of open environments is reached.
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
 * Archives the environment; the project's workflow deletes its contents. The entry of the pull request keeps the
 * commit, so that only another commit opens the environment again.
 */
export async function closePullRequest(
  needs: ProjectNeeds,
  ref: PullRequestRef,
  ifMatch?: string,
  actor?: string,
): Promise<Project> {
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
    actor,
  )
}

/**
 * Allows a fork's commit to be built: this one alone, since the admin has read this one. The pull request need not have
 * an entry yet.
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

/** Removes the entry of a pull request that is closed at the git host and has no environment here. */
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
