/**
 * The form surface `/api`: GET and form-encoded POST only, with answers of its own to unknown paths. The web pages use
 * `/api/v1`.
 */
import type { Context, Middleware } from 'koa'
import type { Caller } from '../../contract/caller.ts'
import type { Fields } from '../../contract/json/decode.ts'
import { formToFields } from '../../contract/json/fields.ts'
import { Problem } from '../../contract/problem.ts'
import { bodyText, isForm } from './middleware/body.ts'
import { plainNotFound, unknownPath } from './middleware/errors.ts'
import { createSurface, type Surface } from './router.ts'
import { dashboardRoutes } from './routes.ts'
import type { Edge } from './serve.ts'

export function createDashboard(edge: Edge): Surface {
  const surface = createSurface(edge, dashboardRoutes, formFields)
  // Only GET and POST (docs/reference/conventions.md#methods): a HEAD that the router would answer like a GET is a 405
  // here.
  const middleware: Middleware = async (ctx, next) => {
    await (verbs.has(ctx.method) ? surface.middleware(ctx, next) : next())
  }
  return { ...surface, middleware }
}

const verbs = new Set(['GET', 'POST'])

/** A body of another media type is refused for every caller: its fields would be silently missing otherwise. */
function formFields(ctx: Context, _caller: Caller): Fields {
  const query = formToFields(ctx.querystring)
  const text = bodyText(ctx)
  if (text === '') return query
  if (!isForm(ctx)) throw new Problem('unsupported_media_type', 'send form-encoded data')
  return new Map([...query, ...formToFields(text)])
}

/**
 * A GET on a path that takes POST alone is a plain-text 404; on `/api/databases/{db}/query` it is 405
 * (docs/reference/conventions.md#a-dashboard-404).
 */
const queryPath = /^\/api\/databases\/[^/]+\/query$/

/** Answers a request under `/api` that no route matched. */
export const refuseDashboard: Middleware = (ctx) => {
  if (ctx.method === 'POST') throw new Problem('not_found', unknownPath)
  if (ctx.method === 'GET' && !queryPath.test(ctx.path)) throw new Problem('not_found', plainNotFound)
  ctx.set('Allow', queryPath.test(ctx.path) ? 'POST' : 'GET, POST')
  throw new Problem('method_not_allowed', 'method not allowed')
}
