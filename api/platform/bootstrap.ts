/**
 * `GET /api/bootstrap`: everything that a dashboard needs at first, from the caches; unchanged parts are not serialized
 * again.
 */
import { canMutate } from '../../contract/caller.ts'
import type { View } from '../../contract/operations.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import { coresUsed } from '../../kinds/metrics/queries.ts'
import type { Handler } from '../context/handler.ts'
import type { Caches } from '../context/caches.ts'
import { staleWhileRevalidate } from '../views/stale-while-revalidate.ts'
import type { Needs } from '../context/needs.ts'
import { memoizedBody } from '../views/memoized-body.ts'
import { redacted, whole } from './shown.ts'
import { memoizeList, type ShownList } from './shown-lists.ts'
import { runningPods, summarise } from './summary.ts'

type Bootstrap = View<'platform.bootstrap'>
type ListName = Exclude<keyof Bootstrap, 'platform' | 'metrics'>
type Lists = Readonly<Record<ListName, ShownList>>

export const bootstrap = ({ caches, metrics: store, clock, log }: Needs): Handler<'platform.bootstrap'> => {
  // Queried now and then, not for every request; null and not 0 without a metrics store.
  const cores = staleWhileRevalidate(async () => (await store.instant(coresUsed))[0]?.value, { clock, log })
  const wholeAnswer = createAnswer(wholeLists(caches))
  const redactedAnswer = createAnswer(redactedLists(caches))
  return async ({ caller }) => {
    const platform = summarise(caches, caller)
    const metrics = {
      runningPods: runningPods(caches),
      nodes: caches.nodes.list().length,
      cpuCores: (await cores()) ?? null,
    }
    return (canMutate(caller) ? wholeAnswer : redactedAnswer)({ platform, metrics })
  }
}

/** Keeps the last answer, and returns it while no list changed. */
function createAnswer(read: () => Lists): (rest: Pick<Bootstrap, 'platform' | 'metrics'>) => Bootstrap {
  let last: { lists: ShownList[]; rest: string; answer: Bootstrap } | undefined
  return (rest) => {
    const lists = read()
    const parts = Object.values(lists)
    const tail = JSON.stringify(rest).slice(1)
    if (last !== undefined && last.rest === tail && parts.every((list, place) => list === last?.lists[place]))
      return last.answer
    const answer = memoizedBody({ ...viewsOf(lists), ...rest }, () => bytesOf(lists, tail))
    last = { lists: parts, rest: tail, answer }
    return answer
  }
}

function viewsOf(lists: Lists): Omit<Bootstrap, 'platform' | 'metrics'> {
  const views = Object.entries(lists).map(([name, { view }]) => [name, view])
  return Object.fromEntries(views) as Omit<Bootstrap, 'platform' | 'metrics'> // the keys of a typed record
}

/** @param tail the members after the lists, with the closing brace */
function bytesOf(lists: Lists, tail: string): Buffer {
  const parts = Object.entries(lists).flatMap(([name, list], place) => [
    Buffer.from(`${place === 0 ? '{' : ','}"${name}":`),
    list.bytes(),
  ])
  return Buffer.concat([...parts, Buffer.from(`,${tail}`)])
}

/** The complete backups: incomplete ones are not shown. The same array while nothing changed. */
function wholeBackups({ backupArchives }: Caches): () => readonly BackupArchive[] {
  let last: { all: readonly BackupArchive[]; found: readonly BackupArchive[] } | undefined
  return () => {
    const all = backupArchives.list()
    if (last?.all !== all) last = { all, found: all.filter(isVerified) }
    return last.found
  }
}

function wholeLists(caches: Caches): () => Lists {
  const backups = wholeBackups(caches)
  const list = () => memoizeList(whole)
  const read: Record<ListName, ReturnType<typeof list>> = {
    projects: list(),
    apps: list(),
    databases: list(),
    logicalDatabases: list(),
    objectStores: list(),
    deployments: list(),
    builds: list(),
    clusters: list(),
    haReadiness: list(),
    backupArchives: list(),
    cloudConnections: list(),
    platformConfig: list(),
  }
  const names = Object.keys(read) as ListName[] // the keys of a typed record
  // The same keys.
  return () =>
    Object.fromEntries(
      names.map((name) => [name, read[name](name === 'backupArchives' ? backups() : caches[name].list())]),
    ) as Lists
}

/**
 * For callers who may not change anything, builds, connections and the configuration are empty
 * (docs/reference/platform.md#first-read-of-a-dashboard).
 */
function redactedLists(caches: Caches): () => Lists {
  const backups = wholeBackups(caches)
  const read = {
    projects: memoizeList(redacted.project),
    apps: memoizeList(redacted.app),
    databases: memoizeList(redacted.database),
    logicalDatabases: memoizeList(redacted.logicalDatabase),
    objectStores: memoizeList(redacted.objectStore),
    deployments: memoizeList(redacted.deployment),
    clusters: memoizeList(redacted.other),
    haReadiness: memoizeList(redacted.other),
    backupArchives: memoizeList(redacted.backupArchive),
  }
  const empty = memoizeList(redacted.other)([])
  return () => ({
    projects: read.projects(caches.projects.list()),
    apps: read.apps(caches.apps.list()),
    databases: read.databases(caches.databases.list()),
    logicalDatabases: read.logicalDatabases(caches.logicalDatabases.list()),
    objectStores: read.objectStores(caches.objectStores.list()),
    deployments: read.deployments(caches.deployments.list()),
    builds: empty,
    clusters: read.clusters(caches.clusters.list()),
    haReadiness: read.haReadiness(caches.haReadiness.list()),
    backupArchives: read.backupArchives(backups()),
    cloudConnections: empty,
    platformConfig: empty,
  })
}
