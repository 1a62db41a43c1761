/** A router made from a list of routes, with the methods that each path accepts. */
import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import type { Caller } from '../../contract/caller.ts'
import type { Fields } from '../../contract/json/decode.ts'
import type { ListedRoute } from './routes.ts'
import { serve, type Edge } from './serve.ts'

export interface Surface {
  readonly middleware: Middleware
  /** Methods that some operation answers at this path; empty when there is none. */
  readonly methodsAt: (path: string) => readonly string[]
}

export function createSurface(
  edge: Edge,
  routes: readonly ListedRoute[],
  readFields: (ctx: Context, caller: Caller) => Fields,
): Surface {
  const resources = new Map<string, { router: Router; answer: Middleware; methods: Set<string> }>()
  for (const { id, method, path, route } of routes) {
    const router = resources.get(resourceIn(path))?.router ?? new Router({ sensitive: true, strict: true })
    const resource = resources.get(resourceIn(path)) ?? {
      router,
      answer: router.routes() as Middleware,
      methods: new Set(),
    }
    resources.set(resourceIn(path), resource)
    resource.methods.add(method)
    router.register(path.replace(/\{(\w+)\}/g, ':$1'), [method], (ctx) =>
      serve(edge, { id, route, readFields }, ctx, ctx.params),
    )
  }
  return {
    async middleware(ctx, next) {
      const resource = resources.get(resourceIn(ctx.path))
      await (resource === undefined ? next() : resource.answer(ctx, next))
    },
    methodsAt(path) {
      const resource = resources.get(resourceIn(path))
      return resource === undefined
        ? []
        : [...resource.methods].filter((method) => resource.router.match(path, method).route)
    },
  }
}

/**
 * The first path segment after the surface's prefix. A router tries its routes in order, so one router per resource
 * tries few.
 */
const resourceIn = (path: string): string => /^\/api(?:\/v1)?\/([^/]*)/.exec(path)?.[1] ?? ''
