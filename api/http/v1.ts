/**
 * `/api/v1`: JSON or form bodies become fields by the four conversion rules; methods without an operation are refused.
 */
import type { Context, Middleware } from 'koa'
import type { Fields } from '../../contract/json/decode.ts'
import { formToFields, jsonToFields, parseJsonObject } from '../../contract/json/fields.ts'
import { Problem, refuse } from '../../contract/problem.ts'
import { bodyText, isForm } from './middleware/body.ts'
import { unknownPath } from './middleware/errors.ts'
import { createSurface, type Surface } from './router.ts'
import { v1Routes } from './routes.ts'
import type { Edge } from './serve.ts'

export function createV1(edge: Edge): Surface {
  return createSurface(edge, v1Routes, jsonOrFormFields)
}

/** Query-string parameters become fields too; body fields win over the same query field. */
function jsonOrFormFields(ctx: Context): Fields {
  const query = formToFields(ctx.querystring)
  const text = bodyText(ctx)
  if (isForm(ctx) && !startOfJson.test(text)) return new Map([...query, ...formToFields(text)])
  return jsonToFields(parseJsonObject(text), query)
}

/**
 * An object, a list or a text. Encoders of forms escape these characters, while programs such as curl send JSON with
 * the media type of a form: its fields would be silently missing otherwise.
 */
const startOfJson = /^\s*[{["]/

const known = new Set(['GET', 'HEAD', 'OPTIONS', 'POST'])

/** Answers a request under `/api/v1` that no route matched. */
export function refuseV1(methodsAt: Surface['methodsAt']): Middleware {
  return (ctx) => {
    const methods = methodsAt(ctx.path)
    if (methods.length > 0)
      ctx.set('Allow', [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', '))
    if (ctx.method === 'OPTIONS' && methods.length > 0) {
      ctx.status = 204
      return
    }
    if (['PATCH', 'PUT', 'DELETE'].includes(ctx.method)) throw refuse(`${ctx.method} is not supported on this path`)
    if (methods.length === 0 && known.has(ctx.method)) throw new Problem('not_found', unknownPath)
    throw new Problem('method_not_allowed', 'method not allowed')
  }
}
