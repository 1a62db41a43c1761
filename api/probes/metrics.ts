/** Gauges of the process itself at `GET /metrics`, for callers on this machine only. */
import type { Middleware } from 'koa'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { measureClusterRequests, measureSkew, secondsBuckets } from '../../outside/metrics/cluster-requests.ts'
import type { Caches } from '../context/caches.ts'
import { isFromHere } from '../http/respond.ts'

export interface Metrics {
  readonly registry: Registry
  readonly endpoint: Middleware
  /** Measures every request that passes this middleware, by its operation. */
  readonly timing: Middleware
  /** Measures a request of the short way, which does not pass the middleware. */
  readonly onShortAnswer: (operation: string, status: number, ms: number) => void
  /** Listener for `onRequest` of the cluster client. */
  readonly onClusterRequest: (verb: string, resource: string, status: number, ms: number) => void
  /** Adds the ages of the caches, which are created after the client. */
  readonly watchCaches: (caches: Caches) => void
  readonly watchClock: (clock: { readonly aheadMs: number }) => void
  /** Adds the number of listeners of the event stream. */
  readonly watchFeed: (feed: { readonly listeners: number }) => void
}

/** The measured part of a cache, whatever its type. */
interface Measured {
  ageMs(): number
  list(): readonly unknown[]
}

/** @param clock milliseconds, for durations */
export function createMetrics(clock: () => number): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const requests = new Histogram({
    name: 'svc_api_request_seconds',
    help: 'Requests answered.',
    labelNames: ['operation', 'status'],
    buckets: secondsBuckets,
    registers,
  })
  const short = new Counter({
    name: 'svc_api_short_reads_total',
    help: 'Requests answered in front of the application; they are among svc_api_request_seconds.',
    registers,
  })
  // Finding the histogram of a label pair costs more than observing it.
  const observed = new Map<string, Histogram.Internal<string>>()
  const requestsOf = (operation: string, status: number): Histogram.Internal<string> => {
    const key = `${operation} ${status}`
    const known = observed.get(key) ?? requests.labels({ operation, status })
    observed.set(key, known)
    return known
  }
  const onAnswer = (operation: string, status: number, ms: number): void =>
    requestsOf(operation, status).observe(ms / 1000)
  return {
    registry,
    onShortAnswer(operation, status, ms) {
      onAnswer(operation, status, ms)
      short.inc()
    },
    async endpoint(ctx, next) {
      if (ctx.path !== '/metrics' || ctx.method !== 'GET' || !isFromHere(ctx)) {
        await next()
        return
      }
      ctx.type = registry.contentType
      ctx.body = await registry.metrics()
    },
    async timing(ctx, next) {
      const startedAt = clock()
      await next()
      const audited = ctx.state['audited'] as { operation?: string } | undefined // left by the router's audit()
      onAnswer(audited?.operation ?? 'none', ctx.status, clock() - startedAt)
    },
    onClusterRequest: measureClusterRequests(registry),
    watchCaches(caches) {
      const gauge = (name: string, help: string, read: (cache: Measured) => number) =>
        new Gauge({
          name,
          help,
          labelNames: ['cache'],
          registers,
          collect() {
            for (const [cache, each] of Object.entries<Measured>({ ...caches })) this.set({ cache }, read(each))
          },
        })
      gauge('svc_cache_age_seconds', 'Since the cluster was last heard.', (cache) => cache.ageMs() / 1000)
      gauge('svc_cache_objects', 'Objects in memory.', (cache) => cache.list().length)
    },
    watchClock: (cluster) => measureSkew(registry, cluster),
    watchFeed(feed) {
      const gauge: Gauge = new Gauge({
        name: 'svc_api_event_listeners',
        help: 'Listeners of the change stream.',
        registers,
        collect: () => gauge.set(feed.listeners),
      })
    },
  }
}
