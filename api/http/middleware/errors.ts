/** The only place where a problem becomes an HTTP status and a body (docs/reference/conventions.md#errors). */
import type { Context, Middleware } from 'koa'
import { isUnreachable } from '../../../cluster/objects/errors.ts'
import type { Logger } from '../../../cluster/objects/log.ts'
import { Problem, refusals, type ProblemCode } from '../../../contract/problem.ts'
import { callerOn } from './request-log.ts'

const statuses: Record<ProblemCode, number> = {
  invalid_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  authorization_pending: 400,
  slow_down: 429,
  access_denied: 400,
  expired_token: 400,
}

/** The cluster did not answer, rather than this process failing. */
const badGateway = 502

/** The answer to an unknown path where errors are JSON. */
export const unknownPath = 'not found'

/** The words of a 404 outside the versioned API, where most of them are plain text. */
export const plainNotFound = '404 page not found'

/** Which surface a path belongs to; the shape of an error follows from it. */
export type Surface = 'v1' | 'dashboard' | 'page'

export function surfaceOf(path: string): Surface {
  if (path === '/api/v1' || path.startsWith('/api/v1/')) return 'v1'
  return path === '/api' || path.startsWith('/api/') ? 'dashboard' : 'page'
}

/** Turns what is thrown below into the answer; the cause of a 5xx is logged under the request id. */
export function createErrors(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const problem = problemOf(error, wordsFor(ctx))
      const status = statusOf(problem)
      if (status >= 500) {
        const cause = describe(problem.cause ?? problem)
        const requestId = String(ctx.state['requestId'])
        log.error({ requestId, method: ctx.method, path: ctx.path, cause }, problem.message)
      }
      answer(ctx, problem, status)
    }
  }
}

/** A problem as it is; anything else is a failure that keeps its words to itself. */
function problemOf(error: unknown, words: string): Problem {
  return error instanceof Problem ? error : new Problem('internal_error', words, error)
}

/**
 * What a failure is called (docs/reference/conventions.md#500-and-502): of a read that could not be loaded, of anything
 * else that could not be completed.
 */
function wordsFor({ method, path }: Context): string {
  const surface = surfaceOf(path)
  if ((method !== 'GET' && method !== 'HEAD') || surface === 'page') return refusals.notCompleted
  return surface === 'v1' ? refusals.notLoaded : refusals.dashboardNotLoaded
}

function statusOf(problem: Problem): number {
  const unreachable = problem.code === 'internal_error' && isUnreachable(problem.cause)
  return unreachable ? badGateway : statuses[problem.code]
}

function answer(ctx: Context, problem: Problem, status: number): void {
  ctx.status = status
  // A later request on the same connection would be read out of the middle of this body.
  if (problem.code === 'too_large') ctx.set('Connection', 'close')
  if (problem.code === 'unauthenticated') ctx.set('WWW-Authenticate', 'Bearer')
  const surface = surfaceOf(ctx.path)
  if (surface === 'v1') ctx.body = { error: problem.message, code: problem.code }
  else if (problem.code === 'not_found' && !isSpoken(ctx, problem)) ctx.body = plainNotFound
  // A person in a browser reads the sentence; programs that take anything get JSON.
  else if (surface === 'page' && ctx.accepts('json', 'html') === 'html') ctx.body = `${problem.message}\n`
  else ctx.body = { error: problem.message }
}

/**
 * Most 404s of the dashboard are plain text (docs/reference/conventions.md#a-dashboard-404); these are the others, and
 * the answer to a project token for services it cannot see.
 */
function isSpoken(ctx: Context, { message }: Problem): boolean {
  return message === unknownPath || message === refusals.tokenNotFound || callerOn(ctx)?.role === 'project'
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}
