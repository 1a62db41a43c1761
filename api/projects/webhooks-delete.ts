/** `POST /api/projects/{p}/webhooks/delete`: deletes a webhook with its secret; what was not delivered yet is dropped. */
import { deleteWebhook } from '../../records/projects/webhooks.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const webhooksDelete =
  (needs: Needs): Handler<'projects.webhooks-delete'> =>
  async ({ params: { project, id }, ifMatch }) => {
    await deleteWebhook(needs.writes, project, id, ifMatch)
    return { ok: true }
  }
