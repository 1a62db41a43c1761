/**
 * The pages that an admin passes on the way to the git host and back (docs/reference/githost.md). They are plain HTML
 * and text, so that they work without the dashboard.
 */
import type { Context, Middleware } from 'koa'
import { Problem, refuse } from '../../contract/problem.ts'
import { dashboardUrlOf } from '../../kinds/platform/address.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import type { User } from '../../records/auth/users.ts'
import { connectGitHost } from '../../records/projects/git-host.ts'
import { gitHostApp, saveGitHost } from '../../records/settings/githost.ts'
import type { Needs } from '../context/needs.ts'
import { sessionCaller, sessionCookieOf } from '../http/middleware/authenticate.ts'
import { audit, auditAlso } from '../http/middleware/request-log.ts'
import { manifestOf } from './manifest.ts'
import { issueState, readState } from '../context/githost-state.ts'

type Page = (needs: Needs, ctx: Context, user: User) => Promise<void>

const pages: ReadonlyMap<string, Page> = new Map([
  ['/settings/githost/new', offerApp],
  ['/settings/githost/manifest/callback', takeApp],
  ['/githost/callback', takeInstallation],
])

export const gitHostPages =
  (needs: Needs): Middleware =>
  async (ctx, next) => {
    const page = ctx.method === 'GET' ? pages.get(ctx.path) : undefined
    if (page === undefined) return void (await next())
    ctx.set('Cache-Control', 'no-store')
    // The address has a code in it, which must not be sent on as Referer.
    ctx.set('Referrer-Policy', 'no-referrer')
    return await page(needs, ctx, await adminOf(needs, ctx))
  }

async function adminOf({ signIn }: Needs, ctx: Context): Promise<User> {
  const cookie = sessionCookieOf(ctx.get('cookie'))
  const user = cookie === undefined ? undefined : await signIn.sessions.resume(cookie)
  if (user === undefined)
    throw new Problem('unauthenticated', 'sign in to the dashboard first, then open this page again')
  if (user.role !== 'admin') throw new Problem('forbidden', 'only an admin connects a git host')
  return user
}

/** `GET /settings/githost/new`: a form that posts the manifest to the git host. */
async function offerApp(needs: Needs, ctx: Context, { username }: User): Promise<void> {
  const url = dashboardUrlOf(needs.caches.platformConfig.list()[0]?.spec)
  if (url === undefined) throw refuse('set the domain of the platform first: the git host sends its events there')
  const target = needs.gitHost.newAppUrl(await issueState(needs, { username, project: '', environment: '' }))
  ctx.set(
    'Content-Security-Policy',
    `default-src 'none'; form-action ${new URL(target).origin}; frame-ancestors 'none'`,
  )
  ctx.type = 'html'
  ctx.body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>svc: a git-host app</title></head>
<body>
<h1>Make the app of this install</h1>
<p>The git host shows what the app may do before it makes it, and sends you back here.</p>
<form method="post" action="${escaped(target)}">
<input type="hidden" name="manifest" value="${escaped(JSON.stringify(manifestOf(url)))}">
<button>Go to the git host</button>
</form>
</body>
</html>
`
}

/**
 * `GET /settings/githost/manifest/callback`: the app was created; its keys are fetched once and saved in the Secret.
 * Audited as the operation that saves an app.
 */
async function takeApp(needs: Needs, ctx: Context, user: User): Promise<void> {
  const { username } = user
  audit(ctx, { operation: 'settings.githost-save', caller: sessionCaller(user) })
  const { project } = await readState(needs, queryOf(ctx, 'state'), username)
  if (project !== '') throw refuse('the way back from the git host is not valid any more; begin again')
  const app = await needs.gitHost.convertManifest(queryOf(ctx, 'code')).catch(refuseTrouble)
  await saveGitHost(needs.writes, { ...app, keepExisting: false }, { actor: username })
  say(ctx, `The git-host app ${app.slug} is set up. Connect an environment of a project next.`)
}

/**
 * `GET /githost/callback`: the app was installed. The number in the address may be that of any installation, so the git
 * host is asked which installations this person manages. Audited as the operation that led there.
 */
async function takeInstallation(needs: Needs, ctx: Context, user: User): Promise<void> {
  const { username } = user
  const { project, environment } = await readState(needs, queryOf(ctx, 'state'), username)
  audit(ctx, { operation: 'projects.githost-install', caller: sessionCaller(user), params: { project, environment } })
  if (project === '') throw refuse('the way back from the git host is not valid any more; begin again')
  if (ctx.query['setup_action'] === 'request')
    return say(ctx, 'The owner of the organization was asked to install the app. Connect the environment again then.')
  const app = await gitHostApp(needs.client)
  const id = Number(queryOf(ctx, 'installation_id'))
  const own = await needs.gitHost.installationsOf(app, queryOf(ctx, 'code')).catch(refuseTrouble)
  const installation = own.find((each) => each.id === id)
  if (installation === undefined) throw refuse('the installation is not one that you manage at the git host')
  const { account } = installation
  const saved = await connectGitHost(needs.writes, project, { environment, installation: id, account })
  auditAlso(ctx, { account, installation: id })
  return say(ctx, `${environment} of ${saved.spec.displayName || project} builds from repositories of ${account} now.`)
}

function queryOf(ctx: Context, name: string): string {
  const value = ctx.query[name]
  if (typeof value !== 'string' || value === '') throw refuse(`${name} is required`)
  return value
}

function refuseTrouble(error: unknown): never {
  if (error instanceof UpstreamError) throw refuse(`the git host refused it: ${error.message}`)
  throw error
}

function say(ctx: Context, sentence: string): void {
  ctx.type = 'text/plain'
  ctx.body = `${sentence}\n`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
