/** The addresses of the dashboard's pages (docs/guides/dashboard.md). */

/** What has a page of its own: the first part of the path. */
export const dashboardSections = ['projects', 'services', 'databases', 'logical-databases', 'buckets'] as const
export type DashboardSection = (typeof dashboardSections)[number]

/** The page of a record by its name; `dashboard` is the address of the dashboard without a slash at its end. */
export const dashboardPage = (dashboard: string, section: DashboardSection, name: string): string =>
  `${dashboard}/${section}/${encodeURIComponent(name)}`
