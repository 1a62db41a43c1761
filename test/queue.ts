/**
 * Which file a lane runs next. Each lane has files of its own: most tests of workflows, those of one machine, and all
 * others. One that has run its own takes some of another, so that all lanes end at about the same time.
 */

export const lanes = ['workflows', 'machine', 'others'] as const
export type Lane = (typeof lanes)[number]

/** Tests of other folders that a lane begins with, since it has time for them. */
const movedTests: readonly (readonly [RegExp, Lane])[] = [
  [/^test\/workflows\/(backup.*|crash|releases|schedules.*|stuck-runs)\.test\.ts$/, 'machine'],
  [/^test\/workflows\/(logical-backups.*|(remote|object)-stores-kill)\.test\.ts$/, 'machine'],
  [/^test\/dashboard\/(killed|states)\.test\.ts$/, 'machine'],
  [/^test\/rules\/secret-references\.test\.ts$/, 'machine'],
  [/^test\/workflows\/(githost-.*|pull-requests.*)\.test\.ts$/, 'machine'],
  [/^test\/dashboard\/accessible\.test\.ts$/, 'workflows'],
]

function laneOf(file: string): Lane {
  const moved = movedTests.find(([pattern]) => pattern.test(file))
  if (moved !== undefined) return moved[1]
  if (file.startsWith('test/workflows/')) return 'workflows'
  return file.startsWith('test/one-machine/') ? 'machine' : 'others'
}

/** Any lane may run these: they need no more of their process than the servers that each lane has. */
const anywhere = /^test\/(cli|kinds|mcp)\//

/** Begins with no worker at all, and failed after the tests of workflows in its lane: it comes before them. */
const beforeOthers = 'test/dashboard/killed.test.ts'

/** Tests that ask for MinIO or rqlite, which are among the last servers that a machine without any gets. */
const late = [
  'test/cli/real-store-waits',
  'test/kinds/backup-archives/',
  'test/outside/databases/query-others',
  'test/workflows/backup',
  'test/workflows/drills',
  'test/workflows/object-stores',
  'test/workflows/pull-requests-data',
]

/** Tests of pages without the worker that the others of their folder share: after those it is started once. */
export const withoutShared = [
  'all-settings',
  'bucket-backups',
  'build-log',
  'clouds',
  'connect-database',
  'database-query',
  'databases',
  'from-git',
  'function',
  'killed',
  'lost-stream',
  'metrics',
  'palette',
  'pending',
  'placement',
  'requests',
  'servers',
  'sleeping',
  'viewer',
].map((name) => `test/dashboard/${name}.test.ts`)

const isOfNode = (file: string): boolean => /^test\/one-machine\/[^/]*node[^/]*\.test\.ts$/.test(file)

const isLate = (file: string): boolean => late.some((start) => file.startsWith(start))

/** The order in which their servers are made, those that share a worker together; tests of real nodes come last. */
function turnOf(file: string): number {
  if (file === beforeOthers) return -1
  if (isOfNode(file)) return 4
  if (isLate(file)) return 3
  if (anywhere.test(file)) return 2
  return withoutShared.includes(file) ? 1 : 0
}

export interface Queue {
  /** The next file for this lane; it is given to no other. */
  take(lane: Lane): string | undefined
}

/** The files of a whole run, each to be taken once. */
export function createQueue(files: readonly string[]): Queue {
  const left = files.toSorted((a, b) => turnOf(a) - turnOf(b))
  return {
    take(lane) {
      const own = left.findIndex((file) => laneOf(file) === lane)
      const next = own >= 0 ? own : left.findLastIndex((file) => anywhere.test(file) && !isLate(file))
      return next < 0 ? undefined : left.splice(next, 1)[0]
    },
  }
}
