/** The addresses of the dashboard's pages (docs/guides/dashboard.md). */

/** What has a page of its own: the first part of the path. */
export const dashboardRooms = ['projects', 'services', 'databases', 'logical-databases', 'buckets'] as const
export type DashboardRoom = (typeof dashboardRooms)[number]

/** The page of a record by its name; `dashboard` is the address of the dashboard without a slash at its end. */
export const dashboardPage = (dashboard: string, room: DashboardRoom, name: string): string =>
  `${dashboard}/${room}/${encodeURIComponent(name)}`
