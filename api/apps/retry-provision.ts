/** `POST /apps/{name}/retry-provision`: runs a failed deploy again. */
import { retryProvision as retry } from '../../records/apps/retry-provision.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { hintApp, onApp } from './scope.ts'

export const retryProvision =
  (needs: Needs): Handler<'apps.retry-provision'> =>
  async (call) => {
    await onApp(needs, call, (_app, writes) => retry(writes, call.params.app))
    hintApp(needs, call.params.app, 'retry requested', call)
    return { ok: true }
  }
