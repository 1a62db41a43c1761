/** What the palette finds: pages and resources by their names, and what may be done with a resource. */
import type { NavigateOptions } from '@tanstack/react-router'
import { useMemo } from 'react'
import { defined } from '../../contract/defined.ts'
import type { View } from '../../contract/operations.ts'
import { useRead } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import {
  alsoOf,
  dataActions,
  nodeActions,
  projectActions,
  serviceActions,
  tokenActions,
  userActions,
  type Action,
} from './actions.ts'
import { isForEveryone, settingsSections } from './settings-sections.ts'

export interface Entry {
  /** Lower-cased once, for searching. */
  readonly key: string
  readonly title: string
  readonly kind: string
  readonly to: NavigateOptions
  /** Done before the page is shown; rejects where it is refused. */
  readonly run?: () => Promise<unknown>
}

/** The actions of one resource, made when it is looked for: those of all services would be a hundred thousand. */
export interface Actions {
  /** The lower-cased text that a search of the resource matches. */
  readonly key: string
  readonly entries: () => readonly Entry[]
}

export interface Findable {
  readonly entries: readonly Entry[]
  readonly actions: readonly Actions[]
}

type Summary = View<'apps.list'>['items'][number]
type Called = Pick<Summary, 'name' | 'displayName'>

const titleOf = ({ name, displayName }: Called): string => (displayName === '' ? name : displayName)

const entry = (title: string, kind: string, to: NavigateOptions, also = ''): Entry => ({
  key: `${title} ${also} ${kind}`.toLowerCase(),
  title,
  kind,
  to,
})

export function useFindable(): Findable {
  const { canMutate } = useMe()
  const projects = useRead('projects.list', {}).data?.items
  const apps = useRead('apps.list', {}).data?.items
  const databases = useRead('databases.list', {}).data?.items
  const logical = useRead('logical-databases.list', {}).data?.items
  const stores = useRead('object-stores.list', {}).data?.items
  const platform = usePlatform(canMutate)
  const entries = useMemo(
    () => [
      entry('Overview', 'Page', { to: '/' }),
      entry('Cluster', 'Page', { to: '/cluster' }),
      entry('Runs', 'Page', { to: '/runs', search: {} }, 'operations workflows'),
      entry('Settings', 'Page', { to: '/settings' }),
      ...settingsSections
        .filter((section) => canMutate || isForEveryone(section))
        .map(({ id, label }) => entry(label, 'Settings', { to: '/settings/$section', params: { section: id } })),
      ...platform.entries,
      ...(projects ?? []).flatMap((project) => ofProject(project, canMutate)),
      ...(apps ?? []).flatMap(ofService),
      ...(databases ?? []).map((item) => ofData(item, 'Database', { to: '/databases/$db', params: { db: item.name } })),
      ...(logical ?? []).map((item) =>
        ofData(item, 'Logical database', { to: '/logical-databases/$name', params: { name: item.name } }),
      ),
      ...(stores ?? []).map((item) => ofData(item, 'Bucket', { to: '/buckets/$store', params: { store: item.name } })),
    ],
    [projects, apps, databases, logical, stores, platform, canMutate],
  )
  const actions = useMemo(
    () =>
      canMutate
        ? [
            ...(apps ?? []).map((item) => actionsOf(item, serviceActions)),
            ...[databases, logical, stores].flatMap((list) => (list ?? []).map((item) => actionsOf(item, dataActions))),
            ...(projects ?? []).map((item) => actionsOf(item, projectActions)),
            ...platform.actions,
          ]
        : [],
    [projects, apps, databases, logical, stores, platform, canMutate],
  )
  return { entries, actions }
}

/** Nodes, tokens and users: they have no pages of their own, and lead to where they are listed. */
function usePlatform(canMutate: boolean): Findable {
  const nodes = useRead('nodes.list', {}).data?.items
  const tokens = useRead('tokens.list', {}, { enabled: canMutate }).data?.items
  const users = useRead('users.list', {}, { enabled: canMutate }).data?.items
  return useMemo(() => {
    const named = [
      ...(nodes ?? []).map(({ name }) => ({ ...called(name), kind: 'Node', of: nodeActions, ...toCluster })),
      ...(tokens ?? []).map(({ id, name }) => ({
        ...called(id, name),
        kind: 'Token',
        of: tokenActions,
        ...toSettings('tokens'),
      })),
      ...(users ?? []).map(({ username }) => ({
        ...called(username),
        kind: 'User',
        of: userActions,
        ...toSettings('users'),
      })),
    ]
    return {
      entries: [
        ...named.map(({ name, displayName, kind, to }) => entry(displayName, kind, to, name)),
        ...(canMutate ? made : []),
      ],
      actions: named.map((item) => actionsOf(item, item.of)),
    }
  }, [nodes, tokens, users, canMutate])
}

const called = (name: string, displayName = '') => ({ name, displayName: displayName === '' ? name : displayName })
const toCluster = { to: { to: '/cluster', hash: 'nodes' } as NavigateOptions }
const toSettings = (section: string, hash = section) => ({
  to: { to: '/settings/$section', params: { section }, hash } as NavigateOptions,
})

/** What makes or connects something for the whole install. */
const made: readonly Entry[] = [
  entry('New project', 'Action', { to: '/' }, 'create add'),
  entry('Make a token', 'Action', toSettings('tokens', 'make-a-token').to, 'create add api'),
  entry('Add a user', 'Action', toSettings('users', 'add-a-user').to, 'create new'),
  entry('Connect a cloud account', 'Action', toSettings('clouds').to, 'aws planetscale create add'),
  entry('Set up the object server', 'Action', toSettings('servers', 'object-server').to, 'minio buckets create'),
  entry(
    'Set up a shared database server',
    'Action',
    toSettings('servers', 'shared-database-servers').to,
    'logical postgres mysql create',
  ),
  entry('Back up svc itself', 'Action', toSettings('backup').to, 'backup recovery'),
  entry('Approve a program that signs in', 'Action', { to: '/device' }, 'device code login'),
]

function actionsOf<Item extends Called>(item: Item, of: (item: Item) => readonly Action[]): Actions {
  const title = titleOf(item)
  return {
    key: `${title} ${item.name}`.toLowerCase(),
    entries: () =>
      of(item).map((action) => ({
        ...entry(`${title}: ${action.verb}`, 'Action', action.to, `${item.name} ${alsoOf(action)}`),
        ...defined({ run: action.run }),
      })),
  }
}

function ofProject({ name, displayName }: Summary, canMutate: boolean): Entry[] {
  const title = titleOf({ name, displayName })
  const params = { project: name }
  return [
    entry(title, 'Project', { to: '/projects/$project', params, search: {} }, name),
    entry(`${title}: settings`, 'Project', { to: '/projects/$project/settings', params }),
    ...(canMutate
      ? [
          entry(`${title}: create a service`, 'Action', { to: '/projects/$project/create', params, search: {} }),
          entry(`${title}: logs`, 'Project', { to: '/projects/$project/logs', params, search: {} }),
          entry(`${title}: pending changes`, 'Action', { to: '/projects/$project/changes', params, search: {} }),
        ]
      : []),
  ]
}

function ofService({ name, displayName }: Summary): Entry[] {
  const to = (tab: string): NavigateOptions => ({ to: '/services/$app/$tab', params: { app: name, tab } })
  return [
    entry(displayName, 'Service', { to: '/services/$app', params: { app: name } }, name),
    entry(`${displayName}: logs`, 'Service', to('logs'), name),
    entry(`${displayName}: variables`, 'Service', to('variables'), name),
  ]
}

const ofData = ({ name, displayName }: Summary, kind: string, to: NavigateOptions): Entry =>
  entry(displayName, kind, to, name)
