/**
 * Finds deliveries that were missed: compares the open pull requests at the git host with those in project records
 * (docs/reference/projects.md#pull-request-environments). Each project lists a repository's pull requests once.
 */
import { Problem } from '../../contract/problem.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { GitHostApp } from '../../kinds/platform/settings.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { baseOf, installationOf, type PullRequestRef, toLookAt } from '../../kinds/projects/pull-requests.ts'
import { gitHostApp } from '../../records/settings/githost.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { repositoryName } from '../githost/is-deployed-by.ts'
import { lookAtPage, type PageInput, type PageReport } from './page.ts'

export interface PullRequestNeeds extends ActivityNeeds {
  /** Wakes the run of a pull request. */
  wakePullRequest: (ref: PullRequestRef, reason: string) => Promise<void>
}

export async function lookAtPullRequests(needs: PullRequestNeeds, page: PageInput): Promise<PageReport> {
  const concerned = needs.projects.cache.list().filter(({ spec, metadata }) => {
    const { pullRequestEnvironments, pullRequests = [] } = spec
    return metadata.deletionTimestamp === undefined && (pullRequestEnvironments.enabled || pullRequests.length > 0)
  })
  const app = concerned.length === 0 ? undefined : await gitHostApp(needs.client).catch(noneWithoutApp)
  return lookAtPage(app === undefined ? [] : concerned, page, (project) => lookAt(needs, project, app))
}

/** Without an app there is no access to the git host. */
function noneWithoutApp(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error
}

async function lookAt(needs: PullRequestNeeds, project: Project, app: GitHostApp | undefined): Promise<boolean> {
  if (app === undefined) return false
  let woken = false
  for (const repository of repositoriesOf(needs, project)) {
    const of = (number: number): PullRequestRef => ({ project: project.metadata.name, repository, number })
    const installation = installationOf(project.spec, of(0))
    const open =
      installation === undefined ? undefined : await needs.pullRequests.open(app, { installation, repository })
    for (const number of toLookAt(project.spec, repository, open)) {
      await needs.wakePullRequest(of(number), 'resync: a look at the git host')
      woken = true
    }
  }
  return woken
}

/** Repositories that the base environment is built from, and those of pull requests in the project's spec. */
function repositoriesOf({ apps, gitHost }: PullRequestNeeds, { metadata, spec }: Project): Set<string> {
  const built = spec.pullRequestEnvironments.enabled
    ? apps.cache.by('environment', namespaceOf(metadata.name, baseOf(spec))).flatMap((app) => {
        const name = repositoryName(viewOf(app).effectiveSpec?.source.git?.repository ?? '', gitHost.web)
        return name === '' ? [] : [name]
      })
    : []
  return new Set([...built, ...(spec.pullRequests ?? []).map(({ repository }) => repository)])
}
