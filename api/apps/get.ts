/** `GET /apps/{name}`: the whole service; what a caller who cannot change things may not see is blank. */
import { canMutate } from '../../contract/caller.ts'
import { appSummary } from '../../kinds/apps/summary.ts'
import { redactedApp, redactedAppStatus } from '../../kinds/apps/redact.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { appOf } from './scope.ts'

export const get =
  (needs: Needs): Handler<'apps.get'> =>
  async (call) => {
    const app = await appOf(needs, call)
    const full = canMutate(call.caller)
    return {
      resource: appSummary(app, full),
      spec: { ...(full ? app.spec : redactedApp(app.spec)) },
      status: { ...(full ? app.status : redactedAppStatus(app.status)) },
    }
  }
