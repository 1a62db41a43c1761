/** `GET /apps/{name}/deployments/{id}/logs`: the steps of one deploy, and the last lines of pods that failed in it. */
import { Problem } from '../../contract/problem.ts'
import { labels } from '../../kinds/annotations.ts'
import { readAttemptLog } from '../../records/deployments/read-attempt-log.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { appOf } from './scope.ts'

export const deploymentLogs =
  (needs: Needs): Handler<'apps.deployment-logs'> =>
  async (call) => {
    const { name } = (await appOf(needs, call)).metadata
    const { id } = call.params
    const record = await needs.records.deployments.read(id)
    if (record?.metadata.labels?.[labels.app] !== name) throw new Problem('not_found', 'deployment not found')
    const log = await readAttemptLog(needs.client, id)
    const steps = { id: 'deploy', title: 'Deploy', lines: log?.steps ?? [] }
    const pods = (log?.pods ?? []).map(({ pod, lines }) => ({ id: `pod-${pod}`, title: `Pod ${pod}`, lines }))
    return { id, sections: [steps, ...pods] }
  }
