/** Both surfaces as lists of routes, made from the contract. */
import type { DashboardRoute, V1Route } from '../../contract/operation.ts'
import { allOperations, type OperationId } from '../../contract/operations.ts'

export interface ListedRoute {
  readonly id: OperationId
  readonly method: string
  /** The whole path from `/api`, parameters in braces. */
  readonly path: string
  readonly route: V1Route | DashboardRoute
}

const versioned = '/api/v1'

/** `/api/...`: the dashboard routes. */
export const dashboardRoutes: readonly ListedRoute[] = allOperations.flatMap(([id, { dashboard }]) =>
  dashboard === undefined ? [] : [{ id, method: dashboard.method, path: dashboard.path, route: dashboard }],
)

/**
 * `/api/v1/...`: the listed operations, PUT beside each PATCH, then every other dashboard route by forwarding
 * (docs/reference/conventions.md#forwarded-paths), password sign-in excepted.
 */
export const v1Routes: readonly ListedRoute[] = [...listed(), ...forwarded()]

/** Method and path without the names of parameters: two routes with the same shape match the same requests. */
export function shapeOf(method: string, path: string): string {
  return `${method} ${path.replace(/\{\w+\}/g, '{}')}`
}

function listed(): ListedRoute[] {
  return allOperations.flatMap(([id, { v1 }]) => {
    if (v1 === undefined) return []
    const methods = v1.method === 'PATCH' ? ['PATCH', 'PUT'] : [v1.method]
    return methods.map((method) => ({ id, method, path: `${versioned}${v1.path}`, route: v1 }))
  })
}

function forwarded(): ListedRoute[] {
  const taken = new Set(listed().map(({ method, path }) => shapeOf(method, path)))
  return dashboardRoutes
    .filter(({ id }) => allOperations.find(([each]) => each === id)?.[1].forwarded !== false)
    .map((each) => ({ ...each, path: each.path.replace(/^\/api/, versioned) }))
    .filter(({ method, path }) => !taken.has(shapeOf(method, path)))
}
