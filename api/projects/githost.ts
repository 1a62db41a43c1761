/** The git host of a project: connects an environment to an installation of the app, and lists its repositories. */
import { refuse } from '../../contract/problem.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import { disconnectGitHost } from '../../records/projects/git-host.ts'
import { gitHostApp } from '../../records/settings/githost.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { issueState } from '../context/githost-state.ts'
import { projectOf } from './project-of-call.ts'

/**
 * `POST /api/projects/{p}/githost/install`: the address at the git host for installing the app; the person who does it
 * comes back to `GET /githost/callback`.
 */
export const githostInstall =
  (needs: Needs): Handler<'projects.githost-install'> =>
  async ({ params, caller }) => {
    const { spec } = await projectOf(needs, params.project, params.environment)
    const app = await gitHostApp(needs.client)
    const environment = params.environment ?? spec.environments[0] ?? ''
    // A program may request the address and a person open it, so with a token the callback accepts any admin.
    const username = caller.kind === 'session' ? caller.username : ''
    const state = await issueState(needs, { username, project: params.project, environment })
    return { ok: true, url: needs.gitHost.installUrl(app, state) }
  }

/** `POST /api/projects/{p}/githost/disconnect`: the app stays installed at the git host. */
export const githostDisconnect =
  (needs: Needs): Handler<'projects.githost-disconnect'> =>
  async ({ params: { project, environment }, ifMatch }) => {
    await projectOf(needs, project, environment)
    await disconnectGitHost(needs.writes, project, environment, ifMatch)
    return { ok: true }
  }

/** `GET /api/projects/{p}/githost/repos`: the repositories of the installations of all its environments, by name. */
export const githostRepos =
  (needs: Needs): Handler<'projects.githost-repos'> =>
  async ({ params }) => {
    const { spec } = await projectOf(needs, params.project)
    const app = await gitHostApp(needs.client)
    const installations = new Set((spec.gitHosts ?? []).map(({ installation }) => installation))
    if (installations.size === 0) throw refuse('the project is not connected to a git host')
    const found = await Promise.all(
      [...installations].map((installation) => needs.gitHost.repositories(app, installation)),
    ).catch(refuseTrouble)
    const byName = new Map(found.flat().map((repository) => [repository.fullName, repository]))
    const items = [...byName.values()]
      .toSorted((a, b) => (a.fullName < b.fullName ? -1 : 1))
      .map(({ fullName, defaultBranch, isPrivate, url }) => ({
        FullName: fullName,
        DefaultBranch: defaultBranch,
        Private: isPrivate,
        HTMLURL: url,
      }))
    return { items }
  }

function refuseTrouble(error: unknown): never {
  if (error instanceof UpstreamError) throw refuse(`the repositories cannot be listed: ${error.message}`)
  throw error
}
