/** The paths through a build, and through a deploy that waits for one. */
import { resyncScheduleId, workflowId } from '../../durable/ids.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { cancelBuild } from '../../records/builds/cancel-build.ts'
import { deploy, untilState } from '../harness/records.ts'
import { createGitApp, playBuild, playSuccess, untilCleaned, untilPhase } from '../workflows/build-world.ts'
import { attemptIn } from '../workflows/service-world.ts'
import type { Path, Scene } from './paths.ts'

async function begun({ records, project }: Scene) {
  const app = await createGitApp(records, project)
  const attempt = attemptIn(await deploy(records, app))
  return { app, attempt, build: await untilPhase(records, attempt, 'Running') }
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
  'resync-with-builds': async (scene) => {
    await scene.resync()
    return resyncScheduleId
  },
}
