/**
 * `GET /healthz` for the operator of the process, and `GET /svc-probe`, the public answer that domain checks look for.
 */
import type { Middleware } from 'koa'
import type { Caches } from '../context/caches.ts'

/** A watch that broke is opened again within seconds; one that stays away longer than this leaves its cache behind. */
const staleAfterMs = 15_000

/** 200 once every cache holds its first list; a stale one is named, and answers from it go on. */
export function createHealth(caches: Caches): Middleware {
  return (ctx, next) => {
    if (ctx.path !== '/healthz' || !isRead(ctx.method)) return next()
    const ages = Object.entries(caches).map(
      ([name, cache]: [string, { synced: boolean; ageMs(): number; staleMs(): number }]) => {
        const ageMs = Math.round(cache.ageMs())
        return [name, { synced: cache.synced, ageMs, stale: cache.staleMs() > staleAfterMs }] as const
      },
    )
    const ok = ages.every(([, { synced }]) => synced)
    ctx.status = ok ? 200 : 503
    ctx.body = { ok, service: 'svc', caches: Object.fromEntries(ages) }
    return undefined
  }
}

export const probe: Middleware = (ctx, next) => {
  if (ctx.path !== '/svc-probe' || !isRead(ctx.method)) return next()
  ctx.status = 200
  ctx.body = { ok: true, service: 'svc-dashboard' }
  return undefined
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'
