/** Cancels an open build. */
import { refuse } from '../../contract/problem.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { isFinished } from '../../kinds/builds/phase.ts'
import type { RecordStore } from '../store/record-store.ts'
import { makeBuild } from './make-build.ts'

/**
 * Harmless to repeat while the build stops. Throws Problem invalid_request for a build that is finished or gone.
 *
 * @param unmade the build of a deploy that no worker has taken yet: it is made as a cancelled one, so that the deploy
 *   finds it whenever a worker comes to it
 */
export async function cancelBuild(builds: RecordStore<Build>, name: string, unmade?: Build): Promise<void> {
  const ask = () => builds.edit(name, asCancelled)
  if ((await ask()) !== undefined) return
  if (unmade !== undefined) {
    const made = await makeBuild(builds, { ...unmade, spec: { ...unmade.spec, cancelled: true } })
    if (made.spec.cancelled || (await ask()) !== undefined) return
  }
  throw refuse('the build is finished already')
}

function asCancelled(build: Build): Build | undefined {
  if (isFinished(build)) throw refuse('the build is finished already')
  return build.spec.cancelled ? undefined : { ...build, spec: { ...build.spec, cancelled: true } }
}
