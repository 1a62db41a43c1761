/** `POST /apps/{name}/build`: "error if the service has no build yet" (Build). */
import { refuse } from '../../contract/problem.ts'
import { byApp } from '../context/caches.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { appOf } from './scope.ts'

export const build =
  (needs: Needs): Handler<'apps.build'> =>
  async (call) => {
    const app = await appOf(needs, call)
    if (needs.caches.builds.by(byApp, app.metadata.name).length === 0) throw refuse('this service has no build yet')
    throw refuse('building from a git repository is not available on this server yet')
  }
