/**
 * The environment of one pull request in one project: created, deployed at each commit, and closed, however often a
 * worker dies meanwhile.
 */
import { proxyActivities } from '@temporalio/workflow'
import type { createGitHostActivities } from '../../activities/githost/activities.ts'
import type { ReconcileInput } from '../../durable/messages.ts'
import { type Acted, reconcile } from '../reconcile.ts'
import { ReconcileRun } from '../reconcile-run.ts'

/** The plan of a pull request: whether nothing is left to do. */
interface Plan {
  isDone: boolean
}

/**
 * Workflow id `pr/<project>/<owner>/<name>/<number>`. Woken by deliveries of the git host, by the api and by the
 * resync. Each pass reads the git host and the record, so terminating a run is safe.
 */
export async function pullRequest(input: ReconcileInput): Promise<void> {
  const { name, policy } = input
  const run = new ReconcileRun('pull request', input)
  const { passPullRequest } = proxyActivities<ReturnType<typeof createGitHostActivities>>({
    summary: 'Bring its environment to what the git host says',
    startToCloseTimeout: policy.activityMs,
    heartbeatTimeout: policy.heartbeatMs,
    retry: { initialInterval: policy.retryMs, maximumInterval: policy.retryMaxMs },
  })
  const act = async (): Promise<Acted<Plan>> => {
    const { outcome, message } = await passPullRequest({ name })
    if (outcome === 'waiting') await run.rest(policy.recheckMs, message)
    else run.note(message)
    return { plan: { isDone: outcome === 'done' } }
  }
  const [project = ''] = name.split('/')
  run.begin({ operation: 'pull-request', attempt: '', project, environment: '', actor: '' })
  await reconcile<Plan>(
    run,
    { plan: { isDone: false } },
    { isAtRest: ({ isDone }) => isDone, looksFirst: () => false, act },
  )
}
