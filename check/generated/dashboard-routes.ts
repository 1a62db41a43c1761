/** Method and path of each operation that the dashboard may call: its first view carries them, not the schemas. */
import { allOperations } from '../../contract/operations.ts'

export const dashboardRoutesPath = 'dashboard/data/routes.json'

/** Paths relative to `/api/`. The versioned API serves all but what only the dashboard's own surface has. */
export function makeDashboardRoutes(): string {
  const routes = allOperations.flatMap(([id, { v1, dashboard, forwarded }]): [string, [string, string]][] => {
    if (v1 !== undefined) return [[id, [v1.method, `v1${v1.path}`]]]
    if (dashboard === undefined) return []
    const surface = forwarded === false ? '' : 'v1/'
    return [[id, [dashboard.method, dashboard.path.replace('/api/', surface)]]]
  })
  return `${JSON.stringify(Object.fromEntries(routes), null, 2)}\n`
}
