/** Which reads of the page a change concerns, and reading them again: one at a time, and only what is shown. */
import type { Query } from '@tanstack/react-query'
import type { Callable } from './api.ts'
import { queryClient, type ReadKey } from './queries.ts'

type Concern = readonly [id: Callable, param?: string]

/** By the word of the stream; with a parameter, only the read of that very record. */
const concerns: Readonly<Record<string, readonly Concern[]>> = {
  projects: [
    ['projects.list'],
    ['projects.get', 'project'],
    ['projects.compliance', 'project'],
    ['projects.pending', 'project'],
    ['projects.capacity', 'project'],
  ],
  apps: [
    ['apps.list'],
    ['apps.get', 'app'],
    ['apps.status', 'app'],
    ['apps.runtime', 'app'],
    ['apps.copies', 'app'],
    ['apps.variables', 'app'],
    ['apps.deployments', 'app'],
    ['apps.deployment-logs', 'app'],
    ['apps.pending', 'app'],
    ['apps.schedules', 'app'],
    ['projects.pending'],
    ['projects.capacity'],
    ['projects.connections'],
  ],
  // A build may be named after another try of its deploy, so it does not say of which service it is.
  builds: [['apps.builds'], ['platform.bootstrap']],
  databases: [
    ['databases.list'],
    ['databases.get', 'db'],
    ['databases.connection', 'db'],
    ['projects.pending'],
    ['projects.capacity'],
  ],
  'logical-databases': [
    ['logical-databases.list'],
    ['logical-databases.get', 'logicalDatabase'],
    ['logical-databases.connection', 'logicalDatabase'],
  ],
  'cloud-connections': [['cloud-connections.list']],
  'backup-archives': [['databases.archives'], ['databases.get-archive', 'archive']],
  'object-stores': [['object-stores.list'], ['object-stores.get', 'store'], ['projects.pending']],
  'ha-readiness': [['platform.warnings']],
  'platform-config': [
    ['platform.warnings'],
    ['settings.domain'],
    ['settings.dns-provider'],
    ['settings.githost'],
    ['settings.registry'],
  ],
}

/** Records whose events have another name than the one they are read by. */
const named: Readonly<Record<string, readonly [resource: string, nameOf: (name: string) => string]>> = {
  // `web-7f3ka` is a deployment of the service web.
  deployments: ['apps', (name) => name.replace(/-[^-]+$/, '')],
}

/** As `useRead` makes it. */
const keyOf = ({ queryKey }: Query): ReadKey => queryKey as unknown as ReadKey

export function invalidateFor(resource: string, name: string): void {
  if (resource === 'resources' || name === '') return invalidateAll()
  const [kind, nameOf] = named[resource] ?? [resource, (same: string): string => same]
  const wanted = concerns[kind]
  if (wanted === undefined) return refresh(({ queryKey }) => queryKey[0] === 'platform.bootstrap')
  refresh((query) => {
    const [id, params] = keyOf(query)
    return wanted.some(
      ([concerned, param]) =>
        id === concerned && (param === undefined || (params as Record<string, unknown>)[param] === nameOf(name)),
    )
  })
}

export function invalidateAll(): void {
  refresh(() => true)
}

/** Reads that are on their way while a change comes: their answer may be older than the change. */
const due = new Set<string>()

const readAgain = (query: Query): void =>
  void queryClient.invalidateQueries({ queryKey: keyOf(query), exact: true, refetchType: 'active' })

function refresh(isConcerned: (query: Query) => boolean): void {
  for (const query of queryClient.getQueryCache().findAll({ predicate: isConcerned })) {
    if (query.isActive() && query.state.fetchStatus === 'fetching') due.add(query.queryHash)
    else readAgain(query)
  }
}

queryClient.getQueryCache().subscribe(({ type, query }) => {
  if (type === 'updated' && query.state.fetchStatus === 'idle' && due.delete(query.queryHash)) readAgain(query as Query)
})
