/** `GET /apps/{name}/logs`: recent lines of all pods, oldest first. */
import type { Handler } from '../context/handler.ts'
import { readRecent } from '../logs/log-lines.ts'
import type { Needs } from '../context/needs.ts'
import { sourcesOf } from '../logs/pods-of.ts'
import { appOf } from './scope.ts'

export const logs =
  (needs: Needs): Handler<'apps.logs'> =>
  async (call) => {
    const app = await appOf(needs, call)
    const { lines, truncated, note } = await readRecent(needs, sourcesOf(needs.caches, app), call.params, call.signal)
    return { lines, services: [app.metadata.name], truncated, note }
  }
