/** `DELETE /apps/{name}`: asks for the deletion; the service's workflow takes everything down. */
import { askDeletion } from '../../records/apps/ask-deletion.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { hintApp, onApp } from './scope.ts'

export const deleteApp =
  (needs: Needs): Handler<'apps.delete'> =>
  async (call) => {
    await onApp(needs, call, (app, writes) => askDeletion(writes, app, call.params.confirmName))
    hintApp(needs, call.params.app, 'deletion requested', call)
    return { ok: true }
  }
