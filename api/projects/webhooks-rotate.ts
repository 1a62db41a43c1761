/** `POST /api/projects/{p}/webhooks/rotate`: replaces the signing secret and shows the new one once. */
import { rotateWebhook } from '../../records/projects/webhooks.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const webhooksRotate =
  (needs: Needs): Handler<'projects.webhooks-rotate'> =>
  async ({ params: { project, id } }) => ({ ok: true, id, secret: await rotateWebhook(needs.writes, project, id) })
