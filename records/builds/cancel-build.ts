/** Cancels an open build. */
import { refuse } from '../../contract/problem.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { isFinished } from '../../kinds/builds/phase.ts'
import type { RecordStore } from '../store/record-store.ts'

/** Harmless to repeat while the build stops. Throws Problem invalid_request for a build that is finished or gone. */
export async function cancelBuild(builds: RecordStore<Build>, name: string): Promise<void> {
  const asked = await builds.edit(name, (build) => {
    if (isFinished(build)) throw refuse('the build is finished already')
    return build.spec.cancelled ? undefined : { ...build, spec: { ...build.spec, cancelled: true } }
  })
  if (asked === undefined) throw refuse('the build is finished already')
}
