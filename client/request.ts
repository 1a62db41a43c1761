/** From an operation and its parameters to an HTTP request: method, path, query, body. */
import { jsonToFields, paramsToJson } from '../contract/json/fields.ts'
import type { Operation } from '../contract/operation.ts'
import { operationOf, type OperationId } from '../contract/operations.ts'

export interface ApiRequest {
  method: string
  /** Relative to `/api/v1`, percent-encoded. */
  path: string
  query: URLSearchParams
  /** A JSON object; absent where parameters travel in the query. */
  body?: Record<string, unknown>
}

/**
 * Parameters in the path leave the body; reads and deletes carry the rest in the query
 * (docs/reference/conventions.md#two-surfaces).
 */
export function requestOf(id: OperationId, params: Readonly<Record<string, unknown>>): ApiRequest {
  const { method, path } = routeOf(id, operationOf(id))
  const rest = { ...params }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return pathSegment(name, value)
  })
  const body = paramsToJson(rest)
  if (method !== 'GET' && method !== 'DELETE') return { method, path: filled, query: new URLSearchParams(), body }
  return { method, path: filled, query: queryOf(body) }
}

function queryOf(params: Record<string, unknown>): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, values] of jsonToFields(params, new Map())) for (const value of values) query.append(name, value)
  return query
}

/**
 * The route of an operation on `/api/v1`: its own, or the dashboard's that is forwarded to
 * (docs/reference/conventions.md#forwarded-paths).
 */
function routeOf(id: string, it: Operation): { method: string; path: string } {
  if (it.v1 !== undefined) return it.v1
  if (it.dashboard === undefined || it.forwarded === false) throw new Error(`${id} is not served on /api/v1`)
  return { method: it.dashboard.method, path: it.dashboard.path.replace(/^\/api/, '') }
}

/** A dot segment would be resolved away by the URL parser and reach another route. */
function pathSegment(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is required`)
  return /^\.{1,2}$/.test(value) ? value.replaceAll('.', '%252E') : encodeURIComponent(value)
}
