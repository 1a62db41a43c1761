/** Which reads of the page a change concerns, and reading them again: one at a time, and only what is shown. */
import type { Query } from '@tanstack/react-query'
import type { Callable } from './api.ts'
import { queryClient, type ReadKey } from './query-client.ts'

/** A change as the event stream reports it (docs/reference/events.md#parts). */
export interface Change {
  readonly resource: string
  readonly name: string
  /** The spec is as it was: only the status changed, or the metadata as well. */
  readonly part?: 'status' | 'metadata'
}

/** Reads that are made again: with a parameter, only the read of the changed record. */
type Reads = readonly (readonly [id: Callable, param?: string])[]

interface Concerned {
  /** Reads that every change of the record concerns. */
  readonly any: Reads
  /** Reads of what is saved or waits for a deploy: a change of the status alone does not concern them. */
  readonly saved?: Reads
  /** Reads that a change of the spec alone concerns. */
  readonly spec?: Reads
}

/** What a change concerns, by the resource in its event. */
const concerns: Readonly<Record<string, Concerned>> = {
  projects: {
    any: [
      ['projects.list'],
      ['projects.get', 'project'],
      ['projects.compliance', 'project'],
      ['projects.pending', 'project'],
      ['projects.capacity', 'project'],
    ],
  },
  apps: {
    any: [
      ['apps.list'],
      ['apps.get', 'app'],
      ['apps.status', 'app'],
      ['apps.runtime', 'app'],
      ['apps.copies', 'app'],
      ['apps.deployment-logs', 'app'],
      ['apps.deployment-changes', 'app'],
      ['apps.schedules', 'app'],
    ],
    saved: [
      ['apps.variables', 'app'],
      ['apps.deployments', 'app'],
      ['apps.pending', 'app'],
      ['projects.pending'],
      ['projects.capacity'],
    ],
    spec: [['projects.connections']],
  },
  deployments: {
    any: [
      ['apps.deployments', 'app'],
      ['apps.deployment-logs', 'app'],
    ],
  },
  builds: {
    any: [
      ['apps.builds', 'app'],
      ['apps.status', 'app'],
    ],
  },
  databases: {
    any: [['databases.list'], ['databases.get', 'db'], ['databases.connection', 'db']],
    saved: [['projects.pending'], ['projects.capacity']],
    spec: [['projects.connections']],
  },
  'logical-databases': {
    any: [
      ['logical-databases.list'],
      ['logical-databases.get', 'logicalDatabase'],
      ['logical-databases.connection', 'logicalDatabase'],
    ],
    spec: [['projects.connections']],
  },
  'object-stores': {
    any: [['object-stores.list'], ['object-stores.get', 'store']],
    saved: [['projects.pending']],
    spec: [['projects.connections']],
  },
  'cloud-connections': { any: [['cloud-connections.list']] },
  'backup-archives': { any: [['databases.archives'], ['databases.get-archive', 'archive']] },
  'ha-readiness': { any: [['platform.warnings']] },
  'platform-config': {
    any: [
      ['platform.warnings'],
      ['settings.domain'],
      ['settings.dns-provider'],
      ['settings.githost'],
      ['settings.registry'],
    ],
  },
}

/** Sums over all that runs, and the words of the stream for what they are made of, nodes aside. */
const sums: readonly Callable[] = ['usage.get']
const summed: ReadonlySet<string> = new Set(['projects', 'apps', 'databases', 'object-stores'])

/** Records that are read by their service, and what follows its name in theirs: `web-7f3ka`; a build may have both. */
const afterService: Readonly<Record<string, RegExp>> = { deployments: /^-[^-]+$/, builds: /^-[^-]+(-[^-]+)?$/ }

function readsOf({ resource, part }: Change): Reads {
  const { any = [], saved = [], spec = [] } = concerns[resource] ?? {}
  return part === 'status' ? any : part === 'metadata' ? [...any, ...saved] : [...any, ...saved, ...spec]
}

function isNamed({ resource, name }: Change, wanted: unknown): boolean {
  const after = afterService[resource]
  if (after === undefined) return wanted === name
  return typeof wanted === 'string' && name.startsWith(wanted) && after.test(name.slice(wanted.length))
}

/** As `useRead` makes it. */
const readKeyOf = ({ queryKey }: Query): ReadKey => queryKey as ReadKey

/** Messages of one burst come within a few milliseconds; a deploy changes the service and its deployments. */
const togetherMs = 20
let waiting: Change[] = []

/** Sums are read so long after a change, which pods and volumes follow, and once for all that change meanwhile. */
const sumsMs = 3000
let sumsDue: ReturnType<typeof setTimeout> | undefined

/** Reads again what the change concerns, once for all changes that come together. */
export function invalidateFor(change: Change): void {
  if (waiting.length === 0) setTimeout(refreshWaiting, togetherMs)
  waiting.push(change)
  if (summed.has(change.resource)) sumsDue ??= setTimeout(refreshSums, sumsMs)
}

function refreshSums(): void {
  sumsDue = undefined
  refresh((query) => sums.includes(readKeyOf(query)[0]))
}

function refreshWaiting(): void {
  const isConcerned = concernedBy(waiting)
  waiting = []
  refresh(isConcerned)
}

function concernedBy(changes: readonly Change[]): (query: Query) => boolean {
  if (changes.some(({ resource, name }) => resource === 'resources' || name === '')) return () => true
  const concerning = changes.map((change) => ({ change, reads: readsOf(change) }))
  return (query) => {
    const [id, params] = readKeyOf(query)
    return concerning.some(({ change, reads }) =>
      reads.some(
        ([concerned, param]) =>
          id === concerned && (param === undefined || isNamed(change, (params as Record<string, unknown>)[param])),
      ),
    )
  }
}

/** Resolves once what the change concerns, and is shown, was read again, where that has begun or is about to. */
export async function untilRead(change: Change): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, togetherMs + 1))
  const cache = queryClient.getQueryCache()
  const isConcerned = concernedBy([change])
  const isRead = () => !cache.getAll().some((query) => isConcerned(query) && isBusy(query))
  if (isRead()) return
  await new Promise<void>((resolve) => {
    const stop = cache.subscribe(() => {
      if (!isRead()) return
      stop()
      resolve()
    })
  })
}

const isBusy = (query: Query): boolean =>
  query.isActive() && (query.state.fetchStatus === 'fetching' || due.has(query.queryHash))

export function invalidateAll(): void {
  refresh(() => true)
}

/** Reads that are on their way while a change comes: their answer may be older than the change. */
const due = new Set<string>()

const readAgain = (query: Query): void =>
  void queryClient.invalidateQueries({ queryKey: readKeyOf(query), exact: true, refetchType: 'active' })

function refresh(isConcerned: (query: Query) => boolean): void {
  for (const query of queryClient.getQueryCache().findAll({ predicate: isConcerned })) {
    if (query.isActive() && query.state.fetchStatus === 'fetching') due.add(query.queryHash)
    else readAgain(query)
  }
}

queryClient.getQueryCache().subscribe(({ type, query }) => {
  if (type === 'updated' && query.state.fetchStatus === 'idle' && due.delete(query.queryHash)) readAgain(query as Query)
})
