/**
 * One pass over the environment of a pull request: reads the pull request at the git host, and opens, updates or closes
 * the environment (docs/reference/projects.md#pull-request-environments). A pass trusts nothing from the delivery that
 * caused it, so it may be repeated, and any caller may request one.
 */
import { Problem } from '../../contract/problem.ts'
import type { GitHostApp } from '../../kinds/platform/settings.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import {
  baseOf,
  decide,
  entryOf,
  installationOf,
  isLeaving,
  isOpenHere,
  namesFor,
  type PullRequest,
  pullRequestOf,
  type PullRequestRef,
} from '../../kinds/projects/pull-requests.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import {
  closePullRequest,
  forgetPullRequest,
  openPullRequest,
} from '../../records/projects/pull-request-environments.ts'
import { gitHostApp } from '../../records/settings/githost.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { copyEnvironment } from './copy-environment.ts'
import { repositoryName } from './is-deployed-by.ts'
import type { PullRequestPassed } from './messages.ts'
import { aboutClosed, aboutOpen, aboutResting } from './pull-request-comment.ts'

/** The context of one pass. */
interface Pass {
  needs: ActivityNeeds
  ref: PullRequestRef
  project: Project
  app: GitHostApp
  installation: number
}

export const passPullRequest =
  (needs: ActivityNeeds) =>
  async ({ name }: { name: string }): Promise<PullRequestPassed> => {
    const ref = pullRequestOf(name)
    const project = await needs.projects.readLive(ref.project)
    if (project === undefined || project.metadata.deletionTimestamp !== undefined) return done('its project is gone')
    const entry = entryOf(project.spec, ref)
    if (entry === undefined && !isBuiltIn(needs, project, ref)) return done('nothing builds this repository')
    const installation = installationOf(project.spec, ref)
    if (installation === undefined && !isOpenHere(entry)) return done('the project is not connected to the git host')
    try {
      return await pass({ needs, ref, project, app: await gitHostApp(needs.client), installation: installation ?? 0 })
    } catch (error) {
      // These refusals end the pass, since a retry would meet them again; Temporal retries other errors.
      if (error instanceof UpstreamError && error.passing) return notYet(`waiting for the git host: ${error.message}`)
      if (error instanceof UpstreamError || error instanceof Problem) return done(`refused: ${error.message}`)
      throw error
    }
  }

/** Whether a service of the environment that would be copied is built from the repository. */
function isBuiltIn({ apps, gitHost }: ActivityNeeds, { spec, metadata }: Project, { repository }: PullRequestRef) {
  return apps.cache
    .by('environment', namespaceOf(metadata.name, baseOf(spec)))
    .some((app) => repositoryName(viewOf(app).effectiveSpec?.source.git?.repository ?? '', gitHost.web) === repository)
}

async function pass(on: Pass): Promise<PullRequestPassed> {
  const { needs, ref, project } = on
  const pull = await needs.pullRequests.read(on.app, { ...ref, installation: on.installation })
  const times = { now: needs.now().getTime(), idleMs: needs.pullRequestIdleMs }
  const decision = decide(project, ref, pull, times)
  // Decided again on the version that is written: a user may have closed the environment during the call to the git
  // host.
  const commitFor = (current: Project): string => {
    const now = decide(current, ref, pull, times)
    if (now.action !== 'open') throw new Changed()
    return now.commit
  }
  if (decision.action === 'open') return open(on, pull, commitFor)
  const entry = entryOf(project.spec, ref)
  const closing = decision.action === 'close' ? await closePullRequest(needs, ref) : project
  // The last comment says that the environment is gone, so it is written after the removal.
  const leaving = namesFor(ref).find((environment) => isLeaving(closing, environment))
  if (leaving !== undefined) return notYet(`waiting for environment ${leaving} to be removed`)
  if (decision.action === 'close') {
    await writeComment(on, aboutClosed(decision.why), false)
    if (decision.isOver) await forgetPullRequest(needs, ref)
    return done(`closed: ${decision.why}`)
  }
  if (decision.why !== '') await writeComment(on, aboutResting(decision.why), true)
  else if (entry !== undefined && entry.commit === pull?.commit)
    await writeComment(on, aboutClosed(untilNextCommit), false)
  return done(decision.why === '' ? 'nothing is to be made' : decision.why)
}

/** One text for several causes: once the environment is gone, the record has only the commit, not why it was closed. */
const untilNextCommit = 'it was closed by hand, or got no commit for long; the next commit makes it again'

/** The project has changed, and asks for something else now. */
class Changed extends Error {}

async function open(
  on: Pass,
  pull: PullRequest | undefined,
  commitFor: (project: Project) => string,
): Promise<PullRequestPassed> {
  const { needs, ref } = on
  const leaving = namesFor(ref).find((environment) => isLeaving(on.project, environment))
  if (leaving !== undefined && !isOpenHere(entryOf(on.project.spec, ref)))
    return notYet(`waiting for environment ${leaving} to be removed before it is made again`)
  const isFork = pull?.isFork ?? entryOf(on.project.spec, ref)?.fork === true
  const at = needs.now().toISOString()
  let opened
  try {
    opened = await openPullRequest(needs, ref, { commitFor, isFork, at })
  } catch (error) {
    if (error instanceof Changed) return notYet('the project was changed meanwhile')
    if (!(error instanceof Problem)) throw error
    await writeComment(on, aboutResting(error.message), true)
    return done(`refused: ${error.message}`)
  }
  const copied = await copyEnvironment(needs, ref.project, opened.entry)
  await writeComment(on, aboutOpen(opened.entry, copied, pull), true)
  return copied.isDeployed
    ? done(`open at ${opened.entry.commit.slice(0, 7)}`)
    : notYet('waiting for the deploys to end')
}

async function writeComment({ needs, ref, app, installation }: Pass, text: string, isNew: boolean): Promise<void> {
  const mark = `<!-- svc ${ref.project} -->`
  await needs.pullRequests.writeComment(app, { ...ref, installation }, { mark, text, isNew })
}

const done = (message: string): PullRequestPassed => ({ outcome: 'done', message })
/** A wait whose message is only in the log of the run, not in a condition of a record. */
const notYet = (message: string): PullRequestPassed => ({ outcome: 'waiting', message })
