/** The checks of a request's head that apply to every path, and the headers of every answer. */
import type { Middleware } from 'koa'
import { refuse } from '../../../contract/problem.ts'

const encodings = ['zstd', 'gzip', 'deflate', 'identity']

/**
 * Refuses a request without Host, as HTTP/1.1 requires. A request that accepts no encoding at all gets an uncompressed
 * answer.
 */
export const checkHead: Middleware = async (ctx, next) => {
  if (ctx.req.httpVersion === '1.1' && ctx.req.headers.host === undefined)
    throw refuse('the request has no Host header')
  // Only a quality of 0 can rule out every encoding.
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

/** Answers of this length or more are compressed for callers that accept it, and have `Vary`. */
export const shortBytes = 1024

type Headers = readonly (readonly [name: string, value: string])[]

/** No sniffing, no framing, scripts of our own only. */
const everywhere: Headers = [
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'same-origin'],
  ['Content-Security-Policy', policy],
]

/** The headers of every answer of the API: it depends on the caller and must never be stored. */
export const apiHeaders: Headers = [...everywhere, ['Cache-Control', 'no-store']]

export const securityHeaders: Middleware = async (ctx, next) => {
  for (const [name, value] of ctx.path.startsWith('/api/') ? apiHeaders : everywhere) ctx.set(name, value)
  await next()
}
