/** The plain webhook of a service's git server: its address, and the secret that signs deliveries. */
import { actorOf } from '../../contract/caller.ts'
import { refuse } from '../../contract/problem.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { dashboardUrlOf } from '../../kinds/platform/address.ts'
import { readGitWebhookSecret, rotateGitWebhookSecret } from '../../records/secrets/git-webhook-secret.ts'
import type { Call, Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { appOf, liveAppOf } from './service-of-call.ts'

/** `GET /api/apps/{app}/git-webhook`: the address; `reveal` adds the secret, which is logged first. */
export const gitWebhook =
  (needs: Needs): Handler<'apps.git-webhook'> =>
  async (call) => {
    const app = await appOf(needs, call)
    const secret = await readGitWebhookSecret(needs.client, app)
    const shown = { url: urlOf(needs, call, app), configured: secret !== undefined }
    call.respond.header('Cache-Control', 'no-store')
    if (call.params.reveal !== true || secret === undefined) return shown
    needs.log.info(
      {
        audit: true,
        requestId: call.requestId,
        actor: actorOf(call.caller),
        operation: 'apps.git-webhook',
        resource: { name: app.metadata.name },
        result: 'revealed',
      },
      'audit',
    )
    return { ...shown, secret, revealed: true }
  }

/** `POST /api/apps/{app}/git-webhook/rotate`: creates or replaces the secret, and shows the new one. */
export const gitWebhookRotate =
  (needs: Needs): Handler<'apps.git-webhook-rotate'> =>
  async (call) => {
    call.respond.header('Cache-Control', 'no-store')
    const app = await liveAppOf(needs, call)
    if (app.spec.source.git === undefined) throw refuse('only a service that is built from git has a git webhook')
    return { ok: true, url: urlOf(needs, call, app), secret: await rotateGitWebhookSecret(needs.client, app) }
  }

/** By the address of the dashboard, or by the one that the caller used where none is set. */
function urlOf(
  { caches }: Needs,
  { origin }: Pick<Call<'apps.git-webhook'>, 'origin'>,
  { metadata }: Pick<App, 'metadata'>,
): string {
  const base = dashboardUrlOf(caches.platformConfig.list()[0]?.spec) ?? origin.baseUrl
  return `${base}/webhooks/git/${metadata.name}`
}
