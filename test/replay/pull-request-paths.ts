/** The paths through the environment of a pull request, and through a resync that looks at them. */
import { pullRequestId, resyncScheduleId } from '../../durable/ids.ts'
import { pullRequestKey } from '../../kinds/projects/pull-requests.ts'
import { forgetPullRequest, closePullRequest } from '../../records/projects/pull-request-environments.ts'
import { saveGitHost } from '../../records/settings/githost.ts'
import { connectTemporal, temporalSettings } from '../../temporal/client/client.ts'
import { createPushes } from '../../temporal/client/pushes.ts'
import { eventually } from '../cluster/eventually.ts'
import { githubApp } from '../harness/github.ts'
import { useStack } from '../harness/stack.ts'
import { testPolicy } from '../harness/worker.ts'
import type { Path } from './paths.ts'

export const pullRequestPaths: Readonly<Record<string, Path>> = {
  /** The git host does not answer, which is waited for; meanwhile the environment is closed by hand. */
  'pull-request-waits': async ({ records, project }) => {
    const { temporalAddress, temporalNamespace } = await useStack()
    const { policy, ...settings } = temporalSettings({
      SVC_TEMPORAL_ADDRESS: temporalAddress,
      SVC_TEMPORAL_NAMESPACE: temporalNamespace,
      SVC_POLICY: JSON.stringify(testPolicy),
    })
    const { client, close } = connectTemporal({ policy, ...settings })
    const ref = { project: project.metadata.name, repository: 'acme/shop', number: 7 }
    const id = pullRequestId(pullRequestKey(ref))
    const entry = { repository: ref.repository, number: 7, environment: 'pr-7', base: 'production' }
    await saveGitHost(records, { ...githubApp, keepExisting: false })
    await records.projects.edit(ref.project, (current) => ({
      ...current,
      spec: {
        ...current.spec,
        environments: ['production', 'pr-7'],
        gitHosts: [{ environment: 'production', installation: 71 }],
        pullRequests: [{ ...entry, commit: 'a'.repeat(40) }],
      },
    }))
    await createPushes({ client, policy, searchable: true }).wakePullRequest(ref, { reason: 'recorded' })
    const hasWaited = async () => {
      const { events } = await client.workflow.getHandle(id).fetchHistory()
      return (events ?? []).some(({ timerFiredEventAttributes: fired }) => fired !== undefined && fired !== null)
    }
    await eventually('it has waited', hasWaited, 30_000)
    await closePullRequest(records, ref)
    await forgetPullRequest(records, ref)
    await close()
    return id
  },
  'resync-with-pull-requests': async (scene) => {
    await scene.resync()
    return resyncScheduleId
  },
}
