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

/** Answers from this length on are compressed for callers who take that, and say that they vary by it. */
export const shortBytes = 1024

type Headers = readonly (readonly [name: string, value: string])[]

/** No sniffing, no framing, scripts of our own only. */
const everywhere: Headers = [
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'same-origin'],
  ['Content-Security-Policy', policy],
]

/** What every answer of the API carries: it depends on who asks and is never to be stored. */
export const apiHeaders: Headers = [...everywhere, ['Cache-Control', 'no-store']]

export const securityHeaders: Middleware = async (ctx, next) => {
  for (const [name, value] of ctx.path.startsWith('/api/') ? apiHeaders : everywhere) ctx.set(name, value)
  await next()
}
