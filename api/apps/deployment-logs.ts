/** The log of one deploy: the log of its build, its steps, and the last lines of failed pods. */
import type { Caller } from '../../contract/caller.ts'
import { Problem } from '../../contract/problem.ts'
import { type Accepted, acceptedIn, acceptedOf } from '../../records/store/attempt-history.ts'
import { stepsOf } from '../../records/store/success-steps.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { type AttemptLog, readAttemptLog } from '../../records/deployments/read-attempt-log.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { buildSections } from '../logs/build-log.ts'
import { followDeployment } from '../logs/follow-deployment.ts'
import { appOf, stillSeen } from './service-of-call.ts'

/** `GET /apps/{name}/deployments/{id}/logs`: the sections of that log. */
export const deploymentLogs =
  (needs: Needs): Handler<'apps.deployment-logs'> =>
  async (call) => {
    const { app, accepted } = await appWithDeployment(needs, call)
    const { id } = call.params
    const log = await readAttemptLog(needs.client, id)
    const built = await buildSections(needs, { app: app.metadata.name, id }, log)
    const steps = { id: 'deploy', title: 'Deploy', lines: [...stepsOf(app, id, accepted, log?.steps ?? [])] }
    const pods = (log?.pods ?? []).map(({ pod, lines }) => ({ id: `pod-${pod}`, title: `Pod ${pod}`, lines }))
    return { id, sections: [...(log?.sections ?? []), ...built, steps, ...pods] }
  }

/** `GET /api/apps/{app}/deployments/{id}/logs/stream`: the same log line by line, until the deploy has ended. */
export const deploymentLogsStream =
  (needs: Needs): Handler<'apps.deployment-logs-stream'> =>
  async (call) => {
    const { app: followed, accepted } = await appWithDeployment(needs, call)
    const { id } = call.params
    const seen = stillSeen(needs, call.caller, followed)
    const stepsNow = (log: AttemptLog | undefined) => {
      const app = seen()
      return app === undefined ? [] : stepsOf(app, id, accepted, log?.steps ?? [])
    }
    return followDeployment(needs, {
      ...{ app: followed.metadata.name, id, stepsOf: stepsNow, signal: call.signal },
      mayGoOn: () => seen() !== undefined,
    })
  }

/**
 * Throws 404 also for a deployment of another service. A deployment without a record yet is found in the service's
 * attempt.
 */
async function appWithDeployment(
  needs: Needs,
  call: { params: { app: string; id: string }; caller: Caller },
): Promise<{ app: App; accepted: Accepted | undefined }> {
  const app = await appOf(needs, call)
  const { id } = call.params
  const { attempt } = viewOf(app)
  if (attempt?.record === id) return { app, accepted: acceptedOf(attempt) }
  const record = await needs.records.deployments.read(id)
  if (record?.metadata.labels?.[labels.app] === app.metadata.name) return { app, accepted: acceptedIn(record) }
  throw new Problem('not_found', 'deployment not found')
}
