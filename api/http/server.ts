/** The Koa application: the middlewares of every request, in order. */
import type { RequestListener } from 'node:http'
import Koa, { type Middleware } from 'koa'
import compress from 'koa-compress'
import type { Logger } from '../../cluster/objects/log.ts'
import { Problem, refusals } from '../../contract/problem.ts'
import { createDashboard, refuseDashboard } from './dashboard.ts'
import { refuseLong } from './middleware/body.ts'
import { createErrors, plainNotFound, surfaceOf } from './middleware/errors.ts'
import { checkHead, securityHeaders, shortBytes } from './middleware/headers.ts'
import { createRequestLog } from './middleware/request-log.ts'
import { originOf } from './respond.ts'
import type { Edge } from './serve.ts'
import { createShortWay } from './short-way.ts'
import { createV1, refuseV1 } from './v1.ts'

export interface ServerOptions {
  readonly edge: Edge
  readonly log: Logger
  /** Milliseconds, for durations only. */
  readonly clock: () => number
  readonly timing: Middleware
  /** Called for each request that the short way answered. */
  readonly onShortAnswer: (operation: string, status: number, ms: number) => void
  /** Pages and probes outside `/api`, tried before the plain 404. */
  readonly pages: readonly Middleware[]
}

/** Frequent reads take the short way where possible; all other requests go through the application. */
export function createListener(options: ServerOptions): RequestListener {
  const answer = createServer(options).callback()
  const shortWay = createShortWay(options)
  return (request, response) => {
    const going = shortWay(request, response)
    if (going === undefined) void answer(request, response)
    else
      void going.then(
        (answered) => (answered ? undefined : answer(request, response)),
        (error: unknown) => {
          // Refusals and errors of handlers do not end here: the writing of an answer failed, and part of it may have
          // been sent.
          options.log.error(
            { path: request.url?.split('?')[0], error: String(error) },
            'an answer could not be written',
          )
          response.destroy()
        },
      )
  }
}

/** The request log is outside of the error handling, so that a request is logged with its final status. */
function createServer({ edge, log, clock, timing, pages }: ServerOptions): Koa {
  const app = new Koa()
  const v1 = createV1(edge)
  const dashboard = createDashboard(edge)
  const leftV1 = refuseV1(v1.methodsAt)
  app.use(createRequestLog(log, clock))
  app.use(timing)
  app.use(createErrors(log))
  app.use(checkHead)
  app.use(compressLong)
  app.use(securityHeaders)
  app.use(refuseLong())
  app.use(bySurface({ v1: v1.middleware, dashboard: dashboard.middleware }))
  app.use(refuseProjectTokens(edge))
  app.use(bySurface({ v1: leftV1, dashboard: refuseDashboard }))
  for (const page of pages) app.use(page)
  app.use(() => {
    throw new Problem('not_found', plainNotFound)
  })
  app.on('error', (error: unknown) => log.warn({ error: String(error) }, 'response aborted'))
  return app
}

const compressAny = compress({ threshold: shortBytes, br: false })

/** Most answers are too short for compression: negotiating an encoding would cost more than sending them. */
const compressLong: Middleware = async (ctx, next) => {
  await next()
  if ((ctx.length ?? shortBytes) >= shortBytes) await compressAny(ctx, async () => {})
}

function bySurface(middleware: Partial<Record<ReturnType<typeof surfaceOf>, Middleware>>): Middleware {
  return async (ctx, next) => {
    const own = middleware[surfaceOf(ctx.path)]
    await (own === undefined ? next() : own(ctx, next))
  }
}

/**
 * A project token gets 403 for all that it may not call, paths that do not exist included
 * (docs/reference/conventions.md#unknown-paths-and-project-tokens).
 */
function refuseProjectTokens(edge: Edge): Middleware {
  return async (ctx, next) => {
    const authorization = ctx.get('authorization')
    if (surfaceOf(ctx.path) !== 'page' && authorization !== '') {
      const caller = await edge.authenticate({
        authorization,
        cookie: undefined,
        address: () => originOf(ctx, edge).address,
      })
      if (caller.role === 'project') throw new Problem('forbidden', refusals.tokenCannotAccess)
    }
    await next()
  }
}
