/** `POST /api/projects/{p}/webhooks/save`: creates a webhook and shows its secret once, or changes one. */
import { refuse } from '../../contract/problem.ts'
import { changeWebhook, createWebhook, type WebhookSettings } from '../../records/projects/webhooks.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { projectOf } from './scope.ts'

export const webhooksSave =
  (needs: Needs): Handler<'projects.webhooks-save'> =>
  async ({ params: { project, id = '', event, disabled, ...given }, ifMatch }) => {
    await projectOf(needs, project)
    const url = given.url === undefined ? undefined : await allowedUrl(needs, given.url)
    const settings: WebhookSettings = { ...(event === undefined ? {} : { events: event }), ...(disabled === undefined ? {} : { disabled }) }
    if (id.trim() !== '') {
      await changeWebhook(needs.writes, project, id.trim(), { ...settings, ...(url === undefined ? {} : { url }) }, ifMatch)
      return { ok: true, id: id.trim() }
    }
    if (url === undefined) throw refuse('url is required')
    return { ok: true, ...(await createWebhook(needs.writes, project, { ...settings, url }, ifMatch)) }
  }

async function allowedUrl({ webhooks }: Needs, url: string): Promise<string> {
  const refusal = await webhooks.refusal(url)
  if (refusal !== undefined) throw refuse(refusal)
  // As it was given, unless its scheme is written in a way that only URL parsers understand.
  return /^https?:\/\//.test(url) ? url : new URL(url).href
}
