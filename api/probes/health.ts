/**
 * `GET /healthz` for the operator of the process, and `GET /svc-probe`, the public answer that domain checks expect.
 */
import { staleCacheMs } from '../../contract/process-limits.ts'
import type { Middleware } from 'koa'
import type { Caches } from '../context/caches.ts'

/**
 * 200 once every cache has its first list. The answer shows which caches are stale; requests are still served from
 * them.
 */
export function createHealth(caches: Caches): Middleware {
  return (ctx, next) => {
    if (ctx.path !== '/healthz' || !isRead(ctx.method)) return next()
    const ages = Object.entries(caches).map(
      ([name, cache]: [string, { synced: boolean; ageMs(): number; staleMs(): number }]) => {
        const ageMs = Math.round(cache.ageMs())
        return [name, { synced: cache.synced, ageMs, stale: cache.staleMs() > staleCacheMs }] as const
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
