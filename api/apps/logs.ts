/** `GET /apps/{name}/logs`: recent lines of all pods, oldest first. */
import type { Handler } from '../handler.ts'
import { readLogs } from '../log-lines.ts'
import type { Needs } from '../needs.ts'
import { podsOf } from '../pods-of.ts'
import { appOf } from './scope.ts'

export const logs =
  (needs: Needs): Handler<'apps.logs'> =>
  async (call) => {
    const app = await appOf(needs, call)
    return readLogs(needs, app.metadata.name, podsOf(needs.caches, app), call.params, call.signal)
  }
