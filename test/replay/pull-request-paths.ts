/** The paths through deliveries of git servers: pull requests, pushes, and a resync that looks at them. */
import { gitPushId, pullRequestId, resyncScheduleId } from '../../durable/ids.ts'
import { pullRequestKey } from '../../kinds/projects/pull-requests.ts'
import { forgetPullRequest, closePullRequest } from '../../records/projects/pull-request-environments.ts'
import { saveGitHost } from '../../records/settings/githost.ts'
import { connectTemporal, temporalSettings } from '../../temporal/client/client.ts'
import { createPushes } from '../../temporal/client/pushes.ts'
import { eventually } from '../cluster/eventually.ts'
import { githubApp } from '../harness/github.ts'
import { deploy, untilState } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import { testPolicy } from '../harness/worker.ts'
import { createGitApp, playSuccess, untilPhase } from '../workflows/build-world.ts'
import { attemptIn } from '../workflows/service-world.ts'
import type { Path } from './scene.ts'

/** What starts the work on deliveries. */
async function openPushes() {
  const { temporalAddress, temporalNamespace } = await useStack()
  const { policy, ...settings } = temporalSettings({
    SVC_TEMPORAL_ADDRESS: temporalAddress,
    SVC_TEMPORAL_NAMESPACE: temporalNamespace,
    SVC_POLICY: JSON.stringify(testPolicy),
  })
  const { client, close } = connectTemporal({ policy, ...settings })
  return { client, close, pushes: createPushes({ client, policy, searchable: true }) }
}

export const pullRequestPaths: Readonly<Record<string, Path>> = {
  /** The git host does not answer, which is waited for; meanwhile the environment is closed by hand. */
  'pull-request-waits': async ({ records, project }) => {
    const { client, close, pushes } = await openPushes()
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
    await pushes.wakePullRequest(ref, { reason: 'recorded' })
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
  /** Of a git server without an app. */
  'git-push': async ({ records, project }) => {
    const { close, pushes } = await openPushes()
    const app = await createGitApp(records, project)
    const attempt = attemptIn(await deploy(records, app))
    await playSuccess(records, await untilPhase(records, attempt, 'Running'))
    await untilState(records, app, 'ready', attempt)
    const { name, uid = '' } = app.metadata
    const push = { branch: 'main', isDefaultBranch: true, commit: 'b'.repeat(40) }
    const delivery = `recorded-${uid}`
    await pushes.startGit({ delivery, app: name, uid, push })
    await close()
    return gitPushId(name, delivery)
  },
  'resync-with-bad-backups': async (scene) => {
    await scene.resync()
    return resyncScheduleId
  },
  'resync-with-logical-backups': async (scene) => {
    await scene.resync()
    return resyncScheduleId
  },
  'resync-with-bucket-backups': async (scene) => {
    await scene.resync()
    return resyncScheduleId
  },
  'resync-with-pull-requests': async (scene) => {
    await scene.resync()
    return resyncScheduleId
  },
}
