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

/** The status when the API server of the cluster did not answer, as opposed to a failure of this process. */
const badGateway = 502

/** The message for an unknown path, where errors are JSON. */
export const unknownPath = 'not found'

/** The body of a 404 outside the versioned API, where most are plain text. */
export const plainNotFound = '404 page not found'

/** The surface of a path; it determines the shape of an error. */
export type Surface = 'v1' | 'dashboard' | 'page'

export function surfaceOf(path: string): Surface {
  if (path === '/api/v1' || path.startsWith('/api/v1/')) return 'v1'
  return path === '/api' || path.startsWith('/api/') ? 'dashboard' : 'page'
}

/**
 * Turns an error that was thrown by a later middleware into the answer; the cause of a 5xx is logged with the request
 * id.
 */
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

/** A Problem stays as it is; any other error becomes an internal error whose own message is not shown. */
function problemOf(error: unknown, words: string): Problem {
  return error instanceof Problem ? error : new Problem('internal_error', words, error)
}

/**
 * The message for an internal error (docs/reference/conventions.md#500-and-502): a read could not be loaded, any other
 * request could not be completed.
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
  // The rest of this body would be read as a later request on the same connection.
  if (problem.code === 'too_large') ctx.set('Connection', 'close')
  if (problem.code === 'unauthenticated') ctx.set('WWW-Authenticate', 'Bearer')
  if (problem.retryAfterSeconds !== undefined) ctx.set('Retry-After', String(problem.retryAfterSeconds))
  const surface = surfaceOf(ctx.path)
  if (surface === 'v1') ctx.body = { error: problem.message, code: problem.code }
  else if (problem.code === 'not_found' && !isSpoken(ctx, problem)) ctx.body = plainNotFound
  // A browser gets the sentence as text; programs that accept anything get JSON.
  else if (surface === 'page' && ctx.accepts('json', 'html') === 'html') ctx.body = `${problem.message}\n`
  else ctx.body = { error: problem.message }
}

/**
 * Most 404s of the dashboard are plain text (docs/reference/conventions.md#a-dashboard-404). The exceptions have their
 * message in JSON: an unknown path, and what a project token gets for services that it may not see.
 */
function isSpoken(ctx: Context, { message }: Problem): boolean {
  return message === unknownPath || message === refusals.tokenNotFound || callerOn(ctx)?.role === 'project'
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}
