/** Starts an api in this process (caches, first users, HTTP), and stops it in order. */
import { idleConnectionMs, stopGraceMs } from '../../contract/process-limits.ts'
import { createServer as createHttp, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Middleware } from 'koa'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Logger } from '../../cluster/objects/log.ts'
import { webhookTestSeconds } from '../../contract/limits.ts'
import { dashboardUrlOf } from '../../kinds/platform/address.ts'
import { createAws } from '../../outside/aws/account.ts'
import { createGitHost } from '../../outside/githost/githost.ts'
import { createLogStore } from '../../outside/logs/log-store.ts'
import { createWebhookSender } from '../../outside/webhooks/sender.ts'
import { ensureFirstUsers, type FirstUsers } from '../../records/auth/first-users.ts'
import type { Redeliveries } from '../../temporal/client/redeliveries.ts'
import type { Runs } from '../../temporal/client/runs.ts'
import { appOf } from '../apps/service-of-call.ts'
import { type Caches, createCaches, startCaches, stopCaches } from '../context/caches.ts'
import type { Needs, Pushes, ScheduleStarts, Wakes } from '../context/needs.ts'
import { createDashboardPages } from '../dashboard/pages.ts'
import { createChangeFeed } from '../events/change-feed.ts'
import { gitHostPages } from '../githost/pages.ts'
import { gitHostWebhook } from '../githost/receive-app.ts'
import { plainGitWebhook } from '../githost/receive-plain.ts'
import { createAuthenticate, createAuthenticateCached } from '../http/middleware/authenticate.ts'
import { createReadBody } from '../http/middleware/body.ts'
import { isLoopback, originOf, type Way } from '../http/respond.ts'
import { createListener } from '../http/server.ts'
import { createStreamLimit } from '../http/stream-limit.ts'
import { answerUnreadable } from '../http/unreadable.ts'
import { createUpgradeListener, mayUpgrade } from '../http/upgrade.ts'
import { frontPage } from '../probes/front-page.ts'
import { createHealth, probe } from '../probes/health.ts'
import { measureRecords } from '../probes/record-health.ts'
import { createMetrics, type Metrics } from '../probes/metrics.ts'
import { reference } from '../reference/reference.ts'
import { createNeeds } from './connect.ts'
import { watchCredentials } from './credential-watch.ts'
import { createHandlers } from './handlers.ts'
import type { ApiSettings } from './process-settings.ts'

export interface ApiOptions {
  readonly settings: ApiSettings
  readonly client: ClusterClient
  readonly wakes: Wakes
  readonly pushes: Pushes
  readonly runs: Runs
  readonly redeliveries: Redeliveries
  readonly scheduleStarts: ScheduleStarts
  readonly log: Logger
  readonly metrics?: Metrics
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
}

export interface RunningApi {
  readonly port: number
  readonly needs: Needs
  readonly firstUsers: FirstUsers
  /** Stops accepting requests, ends streams, waits a while for running requests; then stops the caches. */
  stop(): Promise<void>
}

const sweepMs = 20

/**
 * Resolves when the caches are filled and requests are answered. Throws when the API server cannot be read or the port
 * is taken.
 */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { settings, client, wakes, pushes, runs, redeliveries, scheduleStarts, log } = options
  const clock = options.clock ?? Date.now
  const metrics = options.metrics ?? createMetrics(() => performance.now())
  const caches = createCaches(client, log)
  const webhooks = createWebhookSender({
    allowPrivate: settings.privateWebhooks,
    tryMs: webhookTestSeconds * 1000,
    now: () => new Date(),
  })
  const { needs, authStore } = createNeeds({
    client,
    caches,
    wakes,
    pushes,
    runs,
    redeliveries,
    scheduleStarts,
    webhooks,
    logStore: logStoreOf(settings),
    logStoreHint: settings.logs.hint,
    aws: createAws(settings.aws),
    gitHost: createGitHost(settings.gitHost),
    functionEndpoint: settings.functionEndpoint,
    prometheusUrl: settings.prometheusUrl,
    clock,
    log,
  })
  const stopping = new AbortController()
  const feed = createChangeFeed(caches)
  const credentials = watchCredentials(caches.authSecrets)
  const way = wayOf(settings, caches, log)
  const answer = createListener({
    edge: {
      handlers: createHandlers(needs, feed),
      authenticate: createAuthenticate(needs.tokens.authenticate, needs.signIn.sessions),
      authenticateCached: createAuthenticateCached(needs.tokens.authenticateCached, needs.signIn.sessions),
      recognise: createAuthenticate(needs.tokens.recognise, needs.signIn.sessions),
      seeApp: (caller, app) => appOf(needs, { params: { app }, caller }),
      onCredentials: credentials.listen,
      readBody: createReadBody(),
      streams: createStreamLimit(),
      log,
      now: clock,
      ...way,
      stopping: stopping.signal,
    },
    log,
    clock: () => performance.now(),
    timing: metrics.timing,
    onShortAnswer: metrics.onShortAnswer,
    pages: pagesOf(needs, metrics, settings, way),
  })
  caches.apps.onChange(({ type, object }) => wakes.note(object, type === 'delete'))
  metrics.watchCaches(caches)
  measureRecords(metrics.registry, caches, clock)
  metrics.watchFeed(feed)
  const { firstUsers, server } = await begin().catch(async (error: unknown) => {
    await Promise.all([stopCaches(caches), needs.signIn.passwords.close()])
    throw error
  })
  async function begin(): Promise<{ firstUsers: FirstUsers; server: Server }> {
    await startCaches(caches)
    return {
      firstUsers: await ensureFirstUsers(authStore, needs.signIn.passwords, settings),
      server: await listen(answer, settings),
    }
  }
  const stop = async (): Promise<void> => {
    stopping.abort()
    feed.stop()
    credentials.stop()
    await close(server)
    await Promise.all([stopCaches(caches), needs.signIn.passwords.close()])
  }
  return { port: (server.address() as AddressInfo).port, needs, firstUsers, stop } // a TCP server has one
}

const wayOf = ({ trustedProxies, insecureCookie }: ApiSettings, { platformConfig }: Caches, log: Logger): Way => ({
  trustedProxies,
  insecureCookie,
  dashboardUrl: () => dashboardUrlOf(platformConfig.list()[0]?.spec),
  onDistrusted: warnOnce(log),
})

/** The middlewares outside of `/api`, in the order in which they are tried. */
const pagesOf = (needs: Needs, metrics: Metrics, settings: ApiSettings, way: Way): Middleware[] => [
  createHealth(needs.caches),
  probe,
  ...(isLoopback(settings.host) ? [metrics.endpoint] : []),
  gitHostPages(needs),
  gitHostWebhook(needs),
  plainGitWebhook(needs, (ctx) => originOf(ctx, way).address),
  reference,
  createDashboardPages(settings.dashboard),
  frontPage,
]

const logStoreOf = ({ logs: { url, tenant } }: ApiSettings) =>
  url === undefined ? undefined : createLogStore({ url, tenant })

/** Once per process: callers could otherwise fill the log. */
function warnOnce(log: Logger): (peer: string) => void {
  let warned = false
  return (peer) => {
    if (warned) return
    warned = true
    const words =
      'a request was forwarded by a peer that SVC_TRUSTED_PROXIES does not name: sign-in limits count all callers behind it as one'
    log.warn({ peer }, words)
  }
}

async function listen(answer: RequestListener, { port, host }: ApiSettings): Promise<Server> {
  // A missing Host header is refused in svc's own words, too.
  const server = createHttp({ requireHostHeader: false, shouldUpgradeCallback: mayUpgrade }, answer)
  server.on('upgrade', createUpgradeListener(answer))
  server.on('clientError', answerUnreadable)
  // "MAY respond with 417" (RFC 9110, 10.1.1): an unknown expectation is ignored.
  server.on('checkExpectation', answer)
  server.keepAliveTimeout = idleConnectionMs
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return server
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A connection becomes idle when its answer ends: of a stream that just ended, or of a running request.
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMs)
  const cut = setTimeout(() => server.closeAllConnections(), stopGraceMs)
  await closed
  clearTimeout(cut)
  clearInterval(sweep)
}
