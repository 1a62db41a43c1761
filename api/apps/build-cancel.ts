/** `POST /apps/{name}/build/cancel`: "cancels a build that is waiting or running (error for a finished one)" (Build). */
import { refuse } from '../../contract/problem.ts'
import { isFinished, newestBuild } from '../../kinds/builds/phase.ts'
import { byApp } from '../context/caches.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { appOf } from './scope.ts'

export const buildCancel =
  (needs: Needs): Handler<'apps.build-cancel'> =>
  async (call) => {
    const app = await appOf(needs, call)
    const newest = newestBuild(needs.caches.builds.by(byApp, app.metadata.name))
    if (newest === undefined) throw refuse('this service has no build yet')
    if (isFinished(newest)) throw refuse('the build is finished already')
    throw refuse('building from a git repository is not available on this server yet')
  }
