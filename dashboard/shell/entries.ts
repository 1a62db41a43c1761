/** What the palette finds: pages and resources by their names, and what may be done with a resource. */
import type { NavigateOptions } from '@tanstack/react-router'
import { useMemo } from 'react'
import { defined } from '../../contract/defined.ts'
import type { View } from '../../contract/operations.ts'
import { useRead } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { alsoOf, dataActions, serviceActions, type Action } from './actions.ts'
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
  /** Of the resource, lower-cased. */
  readonly key: string
  readonly entries: () => readonly Entry[]
}

export interface Findable {
  readonly entries: readonly Entry[]
  readonly actions: readonly Actions[]
}

type Summary = View<'apps.list'>['items'][number]

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
  const entries = useMemo(
    () => [
      entry('Overview', 'Page', { to: '/' }),
      entry('Cluster', 'Page', { to: '/cluster' }),
      entry('Runs', 'Page', { to: '/runs', search: {} }, 'operations workflows'),
      entry('Settings', 'Page', { to: '/settings' }),
      ...settingsSections
        .filter((section) => canMutate || isForEveryone(section))
        .map(({ id, label }) => entry(label, 'Settings', { to: '/settings/$section', params: { section: id } })),
      ...(projects ?? []).flatMap((project) => ofProject(project, canMutate)),
      ...(apps ?? []).flatMap(ofService),
      ...(databases ?? []).map((item) => ofData(item, 'Database', { to: '/databases/$db', params: { db: item.name } })),
      ...(logical ?? []).map((item) =>
        ofData(item, 'Logical database', { to: '/logical-databases/$name', params: { name: item.name } }),
      ),
      ...(stores ?? []).map((item) => ofData(item, 'Bucket', { to: '/buckets/$store', params: { store: item.name } })),
    ],
    [projects, apps, databases, logical, stores, canMutate],
  )
  const actions = useMemo(
    () =>
      canMutate
        ? [
            ...(apps ?? []).map((item) => actionsOf(item, serviceActions)),
            ...[...(databases ?? []), ...(stores ?? [])].map((item) => actionsOf(item, dataActions)),
          ]
        : [],
    [apps, databases, stores, canMutate],
  )
  return { entries, actions }
}

function actionsOf(item: Summary, of: (item: Summary) => readonly Action[]): Actions {
  const title = item.displayName
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
  const title = displayName === '' ? name : displayName
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
