/** What the palette finds. */
import type { NavigateOptions } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { View } from '../../contract/operations.ts'
import { useRead } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { isForEveryone, settingsSections } from './settings-sections.ts'

export interface Entry {
  /** Lower-cased once, for searching. */
  readonly key: string
  readonly title: string
  readonly kind: string
  readonly to: NavigateOptions
}

type Summary = View<'apps.list'>['items'][number]

const entry = (title: string, kind: string, to: NavigateOptions, also = ''): Entry => ({
  key: `${title} ${also} ${kind}`.toLowerCase(),
  title,
  kind,
  to,
})

export function useEntries(): readonly Entry[] {
  const { canMutate } = useMe()
  const projects = useRead('projects.list', {}).data?.items
  const apps = useRead('apps.list', {}).data?.items
  const databases = useRead('databases.list', {}).data?.items
  const logical = useRead('logical-databases.list', {}).data?.items
  const stores = useRead('object-stores.list', {}).data?.items
  return useMemo(
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
