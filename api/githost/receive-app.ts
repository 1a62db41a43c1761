/**
 * `POST /webhooks/githost`: the events of the git host. Answered as soon as the resulting work is durable
 * (docs/reference/githost.md#pushes).
 */
import { createHmac } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import { nobody } from '../../contract/caller.ts'
import { refuse } from '../../contract/problem.ts'
import { gitHostActor } from '../../kinds/apps/git/build-trigger.ts'
import { readPush } from '../../kinds/apps/git/push.ts'
import { isAbout, readPullRequest } from '../../kinds/projects/pull-request-delivery.ts'
import { checkedCommit } from '../../kinds/builds/checks.ts'
import { isEqualInConstantTime } from '../../records/secrets/constant-time.ts'
import { isWhole, readGitHostApp } from '../../records/settings/githost.ts'
import type { Needs } from '../context/needs.ts'
import { bodyText, createReadBody } from '../http/middleware/body.ts'
import { checkedId, durable, parsedBody, secretTrustMs, unsigned } from './delivery.ts'

const path = '/webhooks/githost'

export function gitHostWebhook(needs: Needs): Middleware {
  const readBody = createReadBody()
  const secret = cachedSecret(needs)
  return async (ctx, next) => {
    if (ctx.path !== path || ctx.method !== 'POST') return void (await next())
    const signature = ctx.get('x-hub-signature-256')
    if (signature === '') throw unsigned()
    const key = await secret()
    if (key === undefined) throw refuse('no git-host app is set up; save one in the platform settings first')
    await readBody(ctx, nobody)
    if (!isEqualInConstantTime(signature, `sha256=${createHmac('sha256', key).update(bodyText(ctx)).digest('hex')}`))
      throw unsigned()
    ctx.status = 202
    ctx.body = { ok: true, outcome: await takeIn(needs, ctx) }
    return undefined
  }
}

/** Processes a delivery; the result is a word that the git host shows to its admins. */
async function takeIn(needs: Needs, ctx: Context): Promise<string> {
  const delivery = checkedId(ctx.get('x-github-delivery'))
  const event = ctx.get('x-github-event')
  const body = parsedBody(bodyText(ctx))
  if (event === 'pull_request') return takePullRequest(needs, delivery, body)
  if (event !== 'push') return wakeWaiting(needs, delivery, checkedCommit(event, body))
  const push = readPush(body)
  if (push === undefined) return 'ignored'
  await durable(needs.log, { delivery }, 'push', needs.pushes.start({ delivery, push }))
  return 'started'
}

/**
 * Wakes the pull request's workflow in every project that it may concern; the body only says which pull request it is.
 */
async function takePullRequest(needs: Needs, delivery: string, body: unknown): Promise<string> {
  const delivered = readPullRequest(body)
  if (delivered === undefined) return 'ignored'
  const refs = needs.caches.projects
    .list()
    .map(({ metadata, spec }) => ({ spec, ref: { ...delivered, project: metadata.name } }))
    .filter(({ spec, ref }) => isAbout(spec, ref, delivered.installation))
    .map(({ ref: { project, repository, number } }) => ({ project, repository, number }))
  const why = { reason: 'an event of the git host', actor: gitHostActor, requestId: delivery }
  const all = Promise.all(refs.map((ref) => needs.pushes.wakePullRequest(ref, why)))
  await durable(needs.log, { delivery }, 'pull request', all)
  return refs.length === 0 ? 'ignored' : 'started'
}

/** Wakes builds that wait for the checks of the commit; a build that is not woken reads them by itself later. */
function wakeWaiting({ caches, wakes }: Needs, requestId: string, commit: string | undefined): string {
  const waiting = caches.builds
    .list()
    .filter(({ status }) => status?.phase === 'WaitingForCI' && status.sourceRevision === commit)
  for (const { metadata } of waiting)
    wakes.wake('build', metadata.name, { reason: 'a check of its commit changed', actor: gitHostActor, requestId })
  return waiting.length === 0 ? 'ignored' : 'woken'
}

function cachedSecret({ client, clock }: Needs): () => Promise<string | undefined> {
  let known: { readonly secret: Promise<string | undefined>; readonly until: number } | undefined
  return () => {
    if (known === undefined || known.until < clock()) {
      const secret = readGitHostApp(client).then((app) => (isWhole(app) ? app.webhookSecret : undefined))
      // A failed read must not stay in the cache.
      secret.catch(() => (known = undefined))
      known = { secret, until: clock() + secretTrustMs }
    }
    return known.secret
  }
}
