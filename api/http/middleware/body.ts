/** Reads a request body up to the limit and finds what kind of text it is. */
import type { Context, Middleware } from 'koa'
import getRawBody from 'raw-body'
import type { Caller } from '../../../contract/caller.ts'
import { requestBodyBytes, smallBodyBytes, strangersBodyBytes } from '../../../contract/limits.ts'
import { Problem, refusals, refuse } from '../../../contract/problem.ts'

const withBody = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Reads the text into `ctx.state.body`; a body over the limit is refused before it is all read. */
export type ReadBody = (ctx: Context, caller: Caller) => Promise<void>

/** Refuses what says beforehand that it is too long; nothing is read here. */
export function refuseLong(limit = requestBodyBytes): Middleware {
  return async (ctx, next) => {
    if (withBody.has(ctx.method) && declaredBytes(ctx, 0) > limit) throw tooLarge()
    await next()
  }
}

/**
 * For requests whose caller is known to be allowed. Operations without credentials read bodies, too: together they may
 * hold so many bytes, and throw Problem rate_limited beyond.
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

/** @param unknown bytes of a body in chunks */
function declaredBytes(ctx: Context, unknown: number): number {
  const { 'content-length': length, 'transfer-encoding': encoding } = ctx.req.headers
  return encoding === undefined ? Number(length ?? 0) : unknown
}

/** The text as it came, also for a webhook whose signature covers it. */
export const bodyText = (ctx: Context): string => String(ctx.state['body'] ?? '')

/** Whether the body says it is a form. */
export const isForm = (ctx: Context): boolean => mediaType(ctx) === 'application/x-www-form-urlencoded'

/** The media type in lower case, without its parameters; empty when none is named. */
export function mediaType(ctx: Context): string {
  return (ctx.get('content-type').split(';')[0] ?? '').trim().toLowerCase()
}

async function readText(ctx: Context, limit: number): Promise<string> {
  try {
    return await getRawBody(ctx.req, { limit, length: ctx.req.headers['content-length'] ?? null, encoding: 'utf-8' })
  } catch (error) {
    throw refusalOf(error)
  }
}

function refusalOf(error: unknown): Problem {
  const type = error instanceof Error && 'type' in error ? error.type : undefined
  if (type === 'entity.too.large') return tooLarge()
  return refuse('request body could not be read', error)
}

const tooLarge = (): Problem => new Problem('too_large', 'request body is larger than 2 MiB')
