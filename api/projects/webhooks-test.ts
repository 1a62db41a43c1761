/** `POST /api/projects/{p}/webhooks/test`: one signed delivery at once, also to a disabled webhook; tells how it went. */
import { randomUUID } from 'node:crypto'
import { Problem } from '../../contract/problem.ts'
import { testEvent, testMessage } from '../../kinds/projects/webhook-message.ts'
import type { Outcome } from '../../outside/webhooks/sender.ts'
import { projectNotFound } from '../../records/projects/edit-project.ts'
import { webhookIn } from '../../records/projects/webhooks.ts'
import { readWebhookSecret } from '../../records/webhook-secret.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const webhooksTest =
  (needs: Needs): Handler<'projects.webhooks-test'> =>
  async ({ params }) => {
    // Live: whoever saves and tests at once may meet two processes.
    const project = await needs.records.projects.readLive(params.project)
    if (project === undefined) throw new Problem('not_found', projectNotFound)
    const { id, url } = webhookIn(project.spec, params.id)
    const secret = await readWebhookSecret(needs.client, project, id)
    const at = new Date(needs.clock()).toISOString()
    const message = { id: `msg_test_${randomUUID()}`, body: testMessage(params.project, id, at) }
    const outcome: Outcome =
      secret === undefined ? { ok: false, reason: 'the webhook has no signing secret; rotate it' } : await needs.webhooks.send({ url, secret }, message)
    const { ok, status } = outcome
    return {
      ok,
      delivery: {
        id: message.id,
        event: testEvent,
        at,
        ...(status === undefined ? {} : { status }),
        ...(outcome.ok ? {} : { error: outcome.reason }),
      },
    }
  }
