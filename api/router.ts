/** A router made from a list of routes, and the question which methods a path takes. */
import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import type { Caller } from '../contract/caller.ts'
import type { Fields } from '../contract/decode.ts'
import type { ListedRoute } from './routes.ts'
import { serve } from './serve.ts'
import type { Edge } from './serve.ts'

export interface Surface {
  readonly middleware: Middleware
  /** Methods that some operation answers at this path; empty when there is none. */
  readonly methodsAt: (path: string) => readonly string[]
}

/** Operations without a handler in the edge's table are not routed: their room is not there yet. */
export function createSurface(edge: Edge, routes: readonly ListedRoute[], readFields: (ctx: Context, caller: Caller) => Fields): Surface {
  const router = new Router({ sensitive: true, strict: true })
  const served = routes.filter(({ id }) => id in edge.handlers)
  for (const { id, method, path, route } of served) {
    router.register(path.replace(/\{(\w+)\}/g, ':$1'), [method], (ctx) => serve(edge, { id, route, readFields }, ctx, ctx.params))
  }
  return { middleware: router.routes() as Middleware, methodsAt: (path) => methodsAt(router, served, path) }
}

function methodsAt(router: Router, served: readonly ListedRoute[], path: string): string[] {
  const methods = new Set(served.map(({ method }) => method))
  return [...methods].filter((method) => router.match(path, method).route)
}
