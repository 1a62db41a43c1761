/** What the head of a request asks of the server whatever its path is, and the headers that every answer carries. */
import type { Middleware } from 'koa'
import { refuse } from '../../../contract/problem.ts'

const encodings = ['zstd', 'gzip', 'deflate', 'identity']

/** Refuses a request without Host, as HTTP/1.1 wants; one that accepts no encoding at all gets the answer as it is. */
export const checkHead: Middleware = async (ctx, next) => {
  if (ctx.req.httpVersion === '1.1' && ctx.req.headers.host === undefined)
    throw refuse('the request has no Host header')
  // Only a quality of 0 can forbid them all.
  if (/;\s*q=0/i.test(ctx.get('accept-encoding')) && ctx.acceptsEncodings(...encodings) === false) ctx.compress = false
  await next()
}

const policy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** No sniffing, no framing, scripts of our own only. */
export const securityHeaders: Middleware = async (ctx, next) => {
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.set('X-Frame-Options', 'DENY')
  ctx.set('Referrer-Policy', 'same-origin')
  ctx.set('Content-Security-Policy', policy)
  // Answers of the API depend on who asks and are never to be stored.
  if (ctx.path.startsWith('/api/')) ctx.set('Cache-Control', 'no-store')
  await next()
}
