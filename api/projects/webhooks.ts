/** Webhooks of a project. */
import { randomUUID } from 'node:crypto'
import { actorOf } from '../../contract/caller.ts'
import { Problem, refuse } from '../../contract/problem.ts'
import { testEvent, testMessage } from '../../kinds/projects/webhook-message.ts'
import { whyNotSent } from '../../kinds/projects/webhooks.ts'
import type { Outcome } from '../../outside/webhooks/sender.ts'
import { projectNotFound } from '../../records/projects/edit-project.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  rotateWebhook,
  webhookIn,
  type WebhookSettings,
} from '../../records/projects/webhooks.ts'
import { readWebhookSecret } from '../../records/secrets/webhook-secret.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { projectOf } from './project-of-call.ts'
import { defined } from '../../contract/defined.ts'

/** `POST /api/projects/{p}/webhooks/save`: creates a webhook and shows its secret once, or changes one. */
export const webhooksSave =
  (needs: Needs): Handler<'projects.webhooks-save'> =>
  async ({ params: { project, id = '', event, disabled, ...given }, ifMatch }) => {
    await projectOf(needs, project)
    const url = given.url === undefined ? undefined : await allowedUrl(needs, given.url)
    const settings: WebhookSettings = {
      ...defined({ events: event, disabled }),
    }
    if (id.trim() !== '') {
      await changeWebhook(needs.writes, project, id.trim(), { ...settings, ...defined({ url }) }, ifMatch)
      return { ok: true, id: id.trim() }
    }
    if (url === undefined) throw refuse('url is required')
    return { ok: true, ...(await createWebhook(needs.writes, project, { ...settings, url }, ifMatch)) }
  }

async function allowedUrl({ webhooks }: Needs, url: string): Promise<string> {
  const refusal = await webhooks.refusal(url)
  if (refusal !== undefined) throw refuse(refusal)
  // As given, except for a scheme in a form that only URL parsers accept.
  return /^https?:\/\//.test(url) ? url : new URL(url).href
}

/** `POST /api/projects/{p}/webhooks/delete`: deletes a webhook and its secret; pending deliveries are dropped. */
export const webhooksDelete =
  (needs: Needs): Handler<'projects.webhooks-delete'> =>
  async ({ params: { project, id }, ifMatch }) => {
    await deleteWebhook(needs.writes, project, id, ifMatch)
    return { ok: true }
  }

/** `POST /api/projects/{p}/webhooks/rotate`: replaces the signing secret and shows the new one once. */
export const webhooksRotate =
  (needs: Needs): Handler<'projects.webhooks-rotate'> =>
  async ({ params: { project, id } }) => ({ ok: true, id, secret: await rotateWebhook(needs.writes, project, id) })

/**
 * `POST /api/projects/{p}/webhooks/test`: sends one signed delivery at once, also to a disabled webhook; answers the
 * outcome.
 */
export const webhooksTest =
  (needs: Needs): Handler<'projects.webhooks-test'> =>
  async ({ params }) => {
    // Read live: a save just before may have reached another replica.
    const project = await needs.records.projects.readLive(params.project)
    if (project === undefined) throw new Problem('not_found', projectNotFound)
    const { id, url } = webhookIn(project.spec, params.id)
    const secret = await readWebhookSecret(needs.client, project, id)
    const at = new Date(needs.clock()).toISOString()
    const message = { id: `msg_test_${randomUUID()}`, body: testMessage(params.project, id, at) }
    const outcome: Outcome =
      secret === undefined
        ? { ok: false, reason: 'the webhook has no signing secret; rotate it' }
        : await needs.webhooks.send({ url, secret }, message)
    const { ok, status } = outcome
    return {
      ok,
      delivery: {
        id: message.id,
        event: testEvent,
        at,
        ...defined({ status }),
        ...(outcome.ok ? {} : { error: outcome.reason }),
      },
    }
  }

/**
 * `POST /api/projects/{p}/webhooks/redeliver`: repeats the delivery of a run, under the same `webhook-id`. Each run is
 * repeated once, however often that is requested (docs/reference/projects.md#delivering-again).
 */
export const webhooksRedeliver =
  (needs: Needs): Handler<'projects.webhooks-redeliver'> =>
  async ({ params, caller }) => {
    const project = await needs.records.projects.readLive(params.project)
    if (project === undefined) throw new Problem('not_found', projectNotFound)
    const delivery = await needs.redeliveries.read(params.run)
    if (delivery === undefined || delivery.notice.project !== params.project)
      throw new Problem('not_found', 'delivery not found')
    const notSent = whyNotSent(webhookIn(project.spec, delivery.webhook), delivery.notice.event)
    if (notSent !== undefined) throw refuse(notSent)
    if (delivery.isOpen) throw refuse('the delivery is still being tried')
    return { ok: true, run: await needs.redeliveries.start(params.run, delivery, actorOf(caller)) }
  }
