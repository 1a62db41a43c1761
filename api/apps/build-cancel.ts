/** `POST /apps/{name}/build/cancel`: "cancels a build that is waiting or running (error for a finished one)" (Build). */
import { refuse } from '../../contract/problem.ts'
import { byApp } from '../caches.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { appOf } from './scope.ts'

export const buildCancel =
  (needs: Needs): Handler<'apps.build-cancel'> =>
  async (call) => {
    const app = await appOf(needs, call)
    if (needs.caches.builds.by(byApp, app.metadata.name).length === 0) throw refuse('this service has no build yet')
    throw refuse('the build is finished already')
  }
