/** What is read again after a write of one's own: what it changed, once, with the event that reports it. */
import type { Callable } from './api.ts'
import { queryClient } from './query-client.ts'
import { invalidateFor, untilRead, type Change } from './stale.ts'
import { awaitReport } from './reported.ts'

/** Records that writes change, by the first word of the operation: how the stream calls them, and what names them. */
const records: Readonly<Record<string, readonly [resource: string, param: string]>> = {
  apps: ['apps', 'app'],
  databases: ['databases', 'db'],
  'logical-databases': ['logical-databases', 'logicalDatabase'],
  'object-stores': ['object-stores', 'store'],
  projects: ['projects', 'project'],
  // There is no word of its own for a node.
  nodes: ['resources', 'node'],
}

/** What no event reports, or only by a name that the writer does not know; by the operation, or its first word. */
const silent: Readonly<Record<string, readonly Callable[]>> = {
  tokens: ['tokens.list'],
  users: ['users.list'],
  'settings.registry-save': ['settings.registry'],
  'settings.registry-clear': ['settings.registry'],
  'cloud-connections': ['cloud-connections.list'],
  'projects.webhooks-test': ['runs.list'],
  'apps.deploy-key-rotate': ['apps.deploy-key'],
  'apps.deploy-key-delete': ['apps.deploy-key'],
  'databases.backup': ['databases.archives', 'databases.get-archive'],
  'logical-databases.backup': ['databases.archives', 'databases.get-archive'],
  'object-stores.backup': ['databases.archives', 'databases.get-archive'],
  'databases.delete-archive': ['databases.archives', 'databases.get-archive'],
}

/** Writes to more records than the one that they name. */
const wide: readonly Callable[] = [
  'projects.deploy',
  'projects.settings-delete',
  'projects.environments-archive',
  'projects.pr-environments-close',
  'databases.restore',
  'object-stores.restore',
]

/** Resolves once what a write changed, and is shown, was read again. */
export async function readAfter(id: Callable, params: object): Promise<void> {
  const [group = ''] = id.split('.')
  const reads = silent[id] ?? silent[group]
  if (reads !== undefined) return await readAgain(reads)
  const change = changeOf(group, params)
  if (change === undefined || wide.includes(id)) return await queryClient.invalidateQueries({ refetchType: 'active' })
  if (!(await awaitReport(change))) invalidateFor(change)
  await untilRead(change)
}

/** Reads these operations again, whatever their parameters are. */
export const readAgain = (ids: readonly Callable[]): Promise<void> =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey }) => ids.some((each) => each === queryKey[0]),
    refetchType: 'active',
  })

/** Undefined for what names no record, such as what makes one. */
function changeOf(group: string, params: object): Change | undefined {
  if (group === 'settings') return { resource: 'platform-config', name: 'platform' }
  const [resource, param] = records[group] ?? []
  const name = param === undefined ? undefined : (params as Record<string, unknown>)[param]
  return resource !== undefined && typeof name === 'string' ? { resource, name } : undefined
}
