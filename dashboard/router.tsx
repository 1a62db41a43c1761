/** Every page and its address. A page's code is loaded with its first visit, or when a link to it is pointed at. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { defined } from '../contract/defined.ts'
import { runKinds, runOutcomes } from '../contract/runs/words.ts'
import { rootPath } from './data/api.ts'
import { Frame } from './shell/frame.tsx'
import { NoSuchPage, PageFailed } from './shell/no-page.tsx'

const root = createRootRoute({ component: Frame, notFoundComponent: NoSuchPage, errorComponent: PageFailed })

const ofEnvironment = (search: Record<string, unknown>): { environment?: string } =>
  typeof search['environment'] === 'string' ? { environment: search['environment'] } : {}

const wordOf = <Word extends string>(words: readonly Word[], value: unknown): Word | undefined =>
  words.find((word) => word === value)
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const runsFilter = (search: Record<string, unknown>) => ({
  ...defined({
    kind: wordOf(runKinds, search['kind']),
    outcome: wordOf(runOutcomes, search['outcome']),
    resource: textOf(search['resource']),
    actor: textOf(search['actor']),
  }),
})

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./overview/page.tsx'), 'OverviewPage'),
})
const device = createRoute({
  getParentRoute: () => root,
  path: '/device',
  validateSearch: (search: Record<string, unknown>): { code?: string } =>
    typeof search['code'] === 'string' ? { code: search['code'] } : {},
  component: lazyRouteComponent(() => import('./device/page.tsx'), 'DevicePage'),
})
const project = createRoute({
  getParentRoute: () => root,
  path: '/projects/$project',
  validateSearch: ofEnvironment,
  component: lazyRouteComponent(() => import('./projects/page.tsx'), 'ProjectPage'),
})
const projectSettings = createRoute({
  getParentRoute: () => root,
  path: '/projects/$project/settings',
  component: lazyRouteComponent(() => import('./projects/settings.tsx'), 'ProjectSettingsPage'),
})
const create = createRoute({
  getParentRoute: () => root,
  path: '/projects/$project/create',
  validateSearch: (search: Record<string, unknown>): { environment?: string; form?: string } => ({
    ...ofEnvironment(search),
    ...defined({ form: textOf(search['form']) }),
  }),
  component: lazyRouteComponent(() => import('./projects/create.tsx'), 'CreatePage'),
})
const changes = createRoute({
  getParentRoute: () => root,
  path: '/projects/$project/changes',
  validateSearch: ofEnvironment,
  component: lazyRouteComponent(() => import('./projects/changes.tsx'), 'ChangesPage'),
})
const projectLogs = createRoute({
  getParentRoute: () => root,
  path: '/projects/$project/logs',
  validateSearch: (search: Record<string, unknown>): { environment?: string; service?: string } => ({
    ...ofEnvironment(search),
    ...defined({ service: textOf(search['service']) }),
  }),
  component: lazyRouteComponent(() => import('./projects/logs.tsx'), 'ProjectLogsPage'),
})
const serviceComponent = lazyRouteComponent(() => import('./apps/page.tsx'), 'ServicePage')
const service = createRoute({ getParentRoute: () => root, path: '/services/$app', component: serviceComponent })
const serviceTab = createRoute({ getParentRoute: () => root, path: '/services/$app/$tab', component: serviceComponent })
const database = createRoute({
  getParentRoute: () => root,
  path: '/databases/$db',
  component: lazyRouteComponent(() => import('./data-services/database.tsx'), 'DatabasePage'),
})
const logicalDatabase = createRoute({
  getParentRoute: () => root,
  path: '/logical-databases/$name',
  component: lazyRouteComponent(() => import('./data-services/logical-database.tsx'), 'LogicalDatabasePage'),
})
const bucket = createRoute({
  getParentRoute: () => root,
  path: '/buckets/$store',
  component: lazyRouteComponent(() => import('./data-services/bucket.tsx'), 'BucketPage'),
})
const cluster = createRoute({
  getParentRoute: () => root,
  path: '/cluster',
  validateSearch: (search: Record<string, unknown>): { node?: string } => defined({ node: textOf(search['node']) }),
  component: lazyRouteComponent(() => import('./cluster/page.tsx'), 'ClusterPage'),
})
const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: runsFilter,
  component: lazyRouteComponent(() => import('./runs/page.tsx'), 'RunsPage'),
})
const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$run',
  component: lazyRouteComponent(() => import('./runs/run.tsx'), 'RunPage'),
})
const settingsComponent = lazyRouteComponent(() => import('./settings/page.tsx'), 'SettingsPage')
const settings = createRoute({ getParentRoute: () => root, path: '/settings', component: settingsComponent })
const settingsSection = createRoute({
  getParentRoute: () => root,
  path: '/settings/$section',
  component: settingsComponent,
})
const routes = [
  overview,
  device,
  project,
  projectSettings,
  create,
  changes,
  projectLogs,
  service,
  serviceTab,
  database,
  logicalDatabase,
  bucket,
  cluster,
  runs,
  run,
  settings,
  settingsSection,
] as const

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: rootPath,
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** What may still be in a cloud of what was abandoned. */
    readonly stays?: readonly string[]
  }
  interface Register {
    router: typeof router
  }
}
