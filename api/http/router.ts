/** A router made from a list of routes, and the question which methods a path takes. */
import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import type { Caller } from '../../contract/caller.ts'
import type { Fields } from '../../contract/decode.ts'
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
  const rooms = new Map<string, { router: Router; answer: Middleware; methods: Set<string> }>()
  for (const { id, method, path, route } of routes.filter((each) => each.id in edge.handlers)) {
    const router = rooms.get(roomOf(path))?.router ?? new Router({ sensitive: true, strict: true })
    const room = rooms.get(roomOf(path)) ?? { router, answer: router.routes() as Middleware, methods: new Set() }
    rooms.set(roomOf(path), room)
    room.methods.add(method)
    router.register(path.replace(/\{(\w+)\}/g, ':$1'), [method], (ctx) => serve(edge, { id, route, readFields }, ctx, ctx.params))
  }
  return {
    async middleware(ctx, next) {
      const room = rooms.get(roomOf(ctx.path))
      await (room === undefined ? next() : room.answer(ctx, next))
    },
    methodsAt(path) {
      const room = rooms.get(roomOf(path))
      return room === undefined ? [] : [...room.methods].filter((method) => room.router.match(path, method).route)
    },
  }
}

/** The first word after the surface's prefix. A router tries its routes one after the other: one for each room tries few. */
const roomOf = (path: string): string => /^\/api(?:\/v1)?\/([^/]*)/.exec(path)?.[1] ?? ''
