/** The paths through a build, through a deploy that waits for one, and of what is reported to the git host. */
import { randomBytes } from 'node:crypto'
import { reportId, resyncScheduleId, workflowId } from '../../durable/ids.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { connectGitHost } from '../../records/projects/git-host.ts'
import { saveGitHost } from '../../records/settings/githost.ts'
import { cancelBuild } from '../../records/builds/cancel-build.ts'
import { eventually } from '../cluster/eventually.ts'
import { githubApp } from '../harness/github.ts'
import { deploy, untilState } from '../harness/records.ts'
import { createGitApp, playBuild, playSuccess, untilCleaned, untilPhase } from '../workflows/build-world.ts'
import { attemptIn } from '../workflows/service-world.ts'
import type { Path, Scene } from './scene.ts'

async function begun({ records, project }: Scene) {
  const app = await createGitApp(records, project)
  const attempt = attemptIn(await deploy(records, app))
  return { app, attempt, build: await untilPhase(records, attempt, 'Running') }
}

/** A build that waited for the checks of its commit, and that was reported to the git host. */
async function checked({ records, project, github }: Scene) {
  const installation = 71
  github.repositories.set(installation, ['acme/web'])
  await saveGitHost(records, { ...githubApp, keepExisting: false })
  await connectGitHost(records, project.metadata.name, { environment: 'production', installation })
  const commit = randomBytes(20).toString('hex')
  github.contents.heads.set('main', commit)
  const app = await createGitApp(records, project, { repository: 'acme/web', waitForCI: true })
  const attempt = attemptIn(await deploy(records, app))
  await untilPhase(records, attempt, 'WaitingForCI')
  github.contents.checkRuns.set(commit, [{ name: 'lint', status: 'completed', conclusion: 'success' }])
  const build = await untilPhase(records, attempt, 'Running')
  await playSuccess(records, build, commit)
  await untilState(records, app, 'ready', attempt)
  await untilCleaned(records, attempt)
  const stateNow = () => github.contents.deployments.find(({ payload }) => payload.svc === attempt)?.statuses[0]?.state
  await eventually('the git host has the status', () => stateNow() === 'success', 20_000)
  return build
}

const idOf = ({ metadata }: Build) => workflowId('build', metadata.name)

export const buildPaths: Readonly<Record<string, Path>> = {
  'build-succeeded': async (scene) => {
    const { build, attempt } = await begun(scene)
    await playSuccess(scene.records, build)
    await untilCleaned(scene.records, attempt)
    return idOf(build)
  },
  'build-failed': async (scene) => {
    const { build, attempt } = await begun(scene)
    await playBuild(scene.records, build, { clone: { exitCode: 1, message: 'the repository refuses the login' } })
    await untilCleaned(scene.records, attempt)
    return idOf(build)
  },
  'build-cancelled': async (scene) => {
    const { build, attempt } = await begun(scene)
    await cancelBuild(scene.records.builds, attempt)
    await untilCleaned(scene.records, attempt)
    return idOf(build)
  },
  'deploy-built': async (scene) => {
    const { app, build, attempt } = await begun(scene)
    await playSuccess(scene.records, build)
    await untilState(scene.records, app, 'ready', attempt)
    return workflowId('app', app.metadata.name)
  },
  'build-checked': async (scene) => idOf(await checked(scene)),
  'build-reported': async (scene) => reportId((await checked(scene)).metadata.name),
  'resync-with-pushes': async (scene) => {
    await scene.resync()
    return resyncScheduleId
  },
  'resync-with-builds': async (scene) => {
    await scene.resync()
    return resyncScheduleId
  },
}
