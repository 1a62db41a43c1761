/** Headers that every answer carries (decisions: Sign-in): no sniffing, no framing, scripts of our own only. */
import type { Middleware } from 'koa'

const policy = ["default-src 'self'", "img-src 'self' data:", "object-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"].join('; ')

export const securityHeaders: Middleware = async (ctx, next) => {
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.set('X-Frame-Options', 'DENY')
  ctx.set('Referrer-Policy', 'same-origin')
  ctx.set('Content-Security-Policy', policy)
  // Answers of the API depend on who asks and are never to be stored.
  if (ctx.path.startsWith('/api/')) ctx.set('Cache-Control', 'no-store')
  await next()
}
