/** `GET /apps/{name}/runtime`: the pods of a service. */
import { podsOf } from '../logs/pods-of.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { appOf } from './scope.ts'

export const runtime =
  (needs: Needs): Handler<'apps.runtime'> =>
  async (call) => {
    const app = await appOf(needs, call)
    const pods = podsOf(needs.caches, app).map(({ metadata, spec, status }) => ({
      name: metadata.name,
      phase: metadata.deletionTimestamp === undefined ? (status?.phase ?? 'Unknown') : 'Terminating',
      container: spec?.containers?.[0]?.name ?? '',
    }))
    return { pods }
  }
