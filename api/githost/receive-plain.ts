/**
 * `POST /webhooks/git/{app}`: pushes that Gitea, Forgejo and GitLab report by a plain webhook. Answered as soon as the
 * resulting work is durable (docs/reference/githost.md#other-git-servers).
 */
import { createHmac } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import { nobody } from '../../contract/caller.ts'
import { gitWebhookRefusedPerMinute } from '../../contract/limits.ts'
import { readGitPush } from '../../kinds/apps/git/git-delivery.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { isEqualInConstantTime } from '../../records/secrets/constant-time.ts'
import { createCounter } from '../../records/counters/count.ts'
import { readGitWebhookSecret } from '../../records/secrets/git-webhook-secret.ts'
import type { Needs } from '../context/needs.ts'
import { bodyText, createReadBody } from '../http/middleware/body.ts'
import { checkedId, durable, parsedBody, secretTrustMs, unsigned } from './delivery.ts'

const path = /^\/webhooks\/git\/([a-z0-9][a-z0-9-]{0,62})$/
/** So many secrets are cached at once. */
const secretsMax = 1000

/** The headers of a git server and its kind of signature. `isSigned` may read the body first. */
interface Server {
  readonly event: string
  readonly push: string
  readonly deliveries: readonly string[]
  readonly isSigned: (ctx: Context, secret: string, readBody: () => Promise<string>) => Promise<boolean>
}

const gitea: Server = {
  event: 'x-gitea-event',
  push: 'push',
  deliveries: ['x-gitea-delivery'],
  isSigned: async (ctx, secret, readBody) => {
    const signature = ctx.get('x-gitea-signature')
    return (
      signature !== '' &&
      isEqualInConstantTime(
        signature,
        createHmac('sha256', secret)
          .update(await readBody())
          .digest('hex'),
      )
    )
  },
}

const gitlab: Server = {
  event: 'x-gitlab-event',
  push: 'Push Hook',
  // This key stays the same when GitLab repeats a delivery; older releases only send the ID of the event.
  deliveries: ['idempotency-key', 'x-gitlab-event-uuid'],
  isSigned: async (ctx, secret) => isEqualInConstantTime(ctx.get('x-gitlab-token'), secret),
}

/** `peerOf` returns the address that counts for limits. */
export function plainGitWebhook(needs: Needs, peerOf: (ctx: Context) => string): Middleware {
  const readBody = createReadBody()
  const secretOf = cachedSecrets(needs)
  const refused = createCounter({ points: gitWebhookRefusedPerMinute, seconds: 60 })
  return async (ctx, next) => {
    const name = ctx.method === 'POST' ? path.exec(ctx.path)?.[1] : undefined
    if (name === undefined) return void (await next())
    const peer = peerOf(ctx)
    await refused.admit(peer, 'too many deliveries were refused; try again in a minute')
    const server = [gitea, gitlab].find(({ event }) => ctx.get(event) !== '')
    const app = needs.caches.apps.get(name, systemNamespace)
    const secret = app === undefined || server === undefined ? undefined : await secretOf(app)
    // The same answer in all cases, so that it does not show which services exist.
    if (app === undefined || server === undefined || secret === undefined) throw unsigned()
    let read: Promise<void> | undefined
    const text = async (): Promise<string> => {
      await (read ??= readBody(ctx, nobody))
      return bodyText(ctx)
    }
    if (!(await server.isSigned(ctx, secret, text))) throw unsigned()
    await refused.giveBack(peer)
    ctx.status = 202
    ctx.body = { ok: true, outcome: await takeIn(needs, ctx, { server, app, text }) }
    return undefined
  }
}

interface Taken {
  readonly server: Server
  readonly app: App
  readonly text: () => Promise<string>
}

/** Processes a delivery; the result is a word that the git server shows. */
async function takeIn({ pushes, log }: Needs, ctx: Context, { server, app, text }: Taken): Promise<string> {
  const delivery = checkedId(server.deliveries.map((header) => ctx.get(header)).find((id) => id !== '') ?? '')
  if (ctx.get(server.event) !== server.push) return 'ignored'
  const push = readGitPush(parsedBody(await text()))
  if (push === undefined) return 'ignored'
  const { name, uid = '' } = app.metadata
  await durable(log, { delivery, app: name }, 'push', pushes.startGit({ delivery, app: name, uid, push }))
  return 'started'
}

interface Known {
  readonly secret: Promise<string | undefined>
  readonly until: number
}

function cachedSecrets({ client, clock }: Needs): (app: App) => Promise<string | undefined> {
  const known = new Map<string, Known>()
  return (app) => {
    const { uid = '' } = app.metadata
    const found = known.get(uid)
    if (found !== undefined && found.until >= clock()) return found.secret
    if (known.size >= secretsMax) known.clear()
    const secret = readGitWebhookSecret(client, app)
    // A failed read must not stay in the cache.
    secret.catch(() => known.delete(uid))
    known.set(uid, { secret, until: clock() + secretTrustMs })
    return secret
  }
}
