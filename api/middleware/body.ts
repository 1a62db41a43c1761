/** Reads a request body up to the limit and tells what kind of text it is. */
import type { Context, Middleware } from 'koa'
import getRawBody from 'raw-body'
import { requestBodyBytes } from '../../contract/limits.ts'
import { Problem, refuse } from '../../contract/problem.ts'

const withBody = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Leaves the text in `ctx.state.body`; a body over the limit is refused before it is all read. */
export function createBody(limit = requestBodyBytes): Middleware {
  return async (ctx, next) => {
    ctx.state['body'] = withBody.has(ctx.method) ? await readText(ctx, limit) : ''
    await next()
  }
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
  if (type === 'entity.too.large') return new Problem('too_large', 'request body is larger than 2 MiB')
  return refuse('request body could not be read', error)
}
