/** Environments of a project, including those for pull requests. */
import { entryOf, isOpenHere } from '../../kinds/projects/pull-requests.ts'
import { allowCommit, closePullRequest } from '../../records/projects/pull-request-environments.ts'
import { savePullRequests } from '../../records/projects/pull-requests.ts'
import { archiveEnvironment, createEnvironment } from '../../records/projects/save-settings.ts'
import { deployEnvironment } from '../context/deploy-environment.ts'
import type { Handler } from '../context/handler.ts'
import { askedBy } from '../context/wakes.ts'
import type { Needs } from '../context/needs.ts'
import { projectOf, wakeProject, wakePullRequest } from './project-of-call.ts'

/** `POST /projects/{name}/environments`: adds an environment. */
export const environmentsCreate =
  (needs: Needs): Handler<'projects.environments-create'> =>
  async (call) => {
    const { project, environment } = call.params
    const { actor } = askedBy(call)
    await createEnvironment(needs.writes, project, environment, call.ifMatch, actor)
    wakeProject(needs, project, `environment ${environment} added`, call)
    return { ok: true }
  }

/**
 * `POST /api/projects/{p}/environments/archive`: removes an environment; the project's workflow deletes its contents.
 */
export const environmentsArchive =
  (needs: Needs): Handler<'projects.environments-archive'> =>
  async (call) => {
    const { project, environment, confirmName } = call.params
    await projectOf(needs, project)
    const { actor } = askedBy(call)
    const deleted = await archiveEnvironment(needs.writes, project, environment, confirmName, call.ifMatch, actor)
    // The workflow revokes them as well, in case this process dies before.
    await needs.tokens.revokeOfProject(project, environment)
    wakeProject(needs, project, `environment ${environment} archived`, call)
    return { ok: true, deleted }
  }

/** `POST /projects/{name}/deploy`: deploys all pending changes of an environment; the default is the first one. */
export const deploy =
  (needs: Needs): Handler<'projects.deploy'> =>
  async (call) => {
    const { metadata, spec } = await projectOf(needs, call.params.project, call.params.environment)
    const { environment = spec.environments[0] ?? '' } = call.params
    return { ok: true, deployed: await deployEnvironment(needs, { project: metadata.name, environment }, call) }
  }

/** `POST /api/projects/{p}/pr-environments/save`: the settings of environments for pull requests. */
export const prEnvironmentsSave =
  (needs: Needs): Handler<'projects.pr-environments-save'> =>
  async ({ params: { project, ...settings }, ifMatch }) => {
    await savePullRequests(needs.writes, project, settings, ifMatch)
    return { ok: true }
  }

/**
 * `POST /api/projects/{p}/pr-environments/close`: deletes the environment of a pull request; `deleted` counts its
 * services, databases and buckets. It opens again with the next commit, or when the pull request is reopened.
 */
export const prEnvironmentsClose =
  (needs: Needs): Handler<'projects.pr-environments-close'> =>
  async (call) => {
    const { project, ...pull } = call.params
    const ref = { project, ...pull }
    const { spec } = await projectOf(needs, project)
    // Read live: a worker may have opened the environment a moment ago.
    const entry = entryOf((await needs.records.projects.readLive(project))?.spec ?? spec, ref)
    if (!isOpenHere(entry)) return { ok: true, deleted: 0 }
    const contents = await needs.writes.contentsOf(project, entry.environment)
    await closePullRequest(needs.writes, ref, call.ifMatch, askedBy(call).actor)
    // The workflow revokes them as well, in case this process dies before.
    await needs.tokens.revokeOfProject(project, entry.environment)
    wakeProject(needs, project, `environment ${entry.environment} closed`, call)
    wakePullRequest(needs, ref, 'closed by hand', call)
    return { ok: true, deleted: contents.length }
  }

/** `POST /api/projects/{p}/pr-environments/allow`: allows the build of a fork's commit, without secrets. */
export const prEnvironmentsAllow =
  (needs: Needs): Handler<'projects.pr-environments-allow'> =>
  async (call) => {
    const { commit, ...ref } = call.params
    await allowCommit(needs.writes, ref, commit, call.ifMatch)
    wakePullRequest(needs, ref, `commit ${commit.slice(0, 7)} allowed`, call)
    return { ok: true }
  }
