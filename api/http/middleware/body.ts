/** Reads a request body up to the limit, and finds its media type. */
import type { Context, Middleware } from 'koa'
import getRawBody from 'raw-body'
import type { Caller } from '../../../contract/caller.ts'
import { requestBodyBytes, smallBodyBytes, strangersBodyBytes } from '../../../contract/limits.ts'
import { Problem, refusals, refuse } from '../../../contract/problem.ts'
import { discardBody } from './discard-body.ts'

const withBody = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Reads the body into `ctx.state.body`; a body over the limit is refused before all of it is read. */
export type ReadBody = (ctx: Context, caller: Caller) => Promise<void>

/** Refuses a request whose Content-Length is over the limit; none of its body is kept. */
export function refuseLong(limit = requestBodyBytes): Middleware {
  return async (ctx, next) => {
    if (withBody.has(ctx.method) && declaredBytes(ctx, 0) > limit) throw await tooLarge(ctx)
    await next()
  }
}

/**
 * For requests whose caller is authorized. Callers without credentials send bodies, too: their bodies together may take
 * so many bytes of memory; beyond that, throws Problem rate_limited.
 */
export function createReadBody(limit = requestBodyBytes): ReadBody {
  let held = 0
  return async (ctx, caller) => {
    if (!withBody.has(ctx.method)) return
    const bytes = declaredBytes(ctx, limit)
    const counted = caller.kind === 'nobody' && bytes > smallBodyBytes ? bytes : 0
    if (held + counted > strangersBodyBytes) throw new Problem('rate_limited', refusals.tooManySignIns)
    held += counted
    try {
      ctx.state['body'] = await readText(ctx, limit)
    } finally {
      held -= counted
    }
  }
}

/** @param unknown what counts for a body in chunks, whose length is not declared */
function declaredBytes(ctx: Context, unknown: number): number {
  const { 'content-length': length, 'transfer-encoding': encoding } = ctx.req.headers
  return encoding === undefined ? Number(length ?? 0) : unknown
}

/** The body as it was sent, also for a webhook whose signature covers it. */
export const bodyText = (ctx: Context): string => String(ctx.state['body'] ?? '')

/** Whether the media type of the body is that of a form. */
export const isForm = (ctx: Context): boolean => mediaType(ctx) === 'application/x-www-form-urlencoded'

/** The media type in lower case, without its parameters; empty when none is named. */
export function mediaType(ctx: Context): string {
  return (ctx.get('content-type').split(';')[0] ?? '').trim().toLowerCase()
}

async function readText(ctx: Context, limit: number): Promise<string> {
  const bytes = await getRawBody(ctx.req, { limit, length: ctx.req.headers['content-length'] ?? null }).catch(
    async (error: unknown) => {
      throw await refusalOf(ctx, error)
    },
  )
  return textOf(bytes)
}

/** Bytes that are no UTF-8 are refused: a value would be saved with other characters in their place. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw refuse('request body is not valid UTF-8', error)
  }
}

async function refusalOf(ctx: Context, error: unknown): Promise<Problem> {
  const type = error instanceof Error && 'type' in error ? error.type : undefined
  if (type === 'entity.too.large') return tooLarge(ctx)
  return refuse('request body could not be read', error)
}

/** The connection is closed after this answer (docs/reference/conventions.md#413). */
async function tooLarge(ctx: Context): Promise<Problem> {
  await discardBody(ctx.req)
  return new Problem('too_large', 'request body is larger than 2 MiB')
}
