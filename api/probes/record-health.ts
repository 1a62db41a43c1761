/** The health of the platform's records, in numbers for the alert rules of deploy/monitoring. */
import { Gauge, type Registry } from 'prom-client'
import type { App } from '../../kinds/apps/kind.ts'
import { appState } from '../../kinds/apps/state.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { backupTrouble } from '../../kinds/backup-archives/drills.ts'
import { databaseState } from '../../kinds/databases/draft.ts'
import { logicalDatabaseState } from '../../kinds/logical-databases/rules.ts'
import type { ResourceMeta } from '../../kinds/meta/resource.ts'
import { storeState } from '../../kinds/object-stores/draft.ts'
import { isOutOfQuota } from '../../kinds/pods/environment-quota.ts'
import { deployRequestOf } from '../../kinds/provision/deploy-request.ts'
import type { Caches } from '../context/caches.ts'

/** The state of one record. */
interface Seen {
  state: string
  message: string
  /** RFC 3339: when the current deploy was accepted; undefined without one. */
  since: string | undefined
}

/** @param now milliseconds since 1970, by the clock of the cluster */
export function measureRecords(registry: Registry, caches: Caches, now: () => number): void {
  const registers = [registry]
  const oldest: Gauge = new Gauge({
    name: 'svc_oldest_attempt_seconds',
    help: 'Age of the oldest deploy that has not ended; 0 where none goes on.',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const [kind, all] of Object.entries(seenIn(caches))) {
        const ages = all.flatMap(({ since = '' }) => (since === '' ? [] : [(now() - Date.parse(since)) / 1000]))
        oldest.set({ kind }, Math.max(0, ...ages))
      }
    },
  })
  const refused: Gauge = new Gauge({
    name: 'svc_records_out_of_quota',
    help: 'Records that wait since the quota of their environment is used up.',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const [kind, all] of Object.entries(seenIn(caches)))
        refused.set({ kind }, all.filter(({ state, message }) => state !== 'deleting' && isOutOfQuota(message)).length)
    },
  })
  const backups: Gauge = new Gauge({
    name: 'svc_databases_bad_backups',
    help: 'Databases whose newest backup or restore drill failed, or whose backups were not proven in time.',
    registers,
    collect: () => backups.set(badBackups(caches, new Date(now()))),
  })
}

const known = new WeakMap<object, Seen>()

/**
 * The state of this version of the record, computed once: a digest of every spec at each scrape would delay requests.
 */
function seen<T extends object>(record: T, look: (record: T) => Seen): Seen {
  const found = known.get(record) ?? look(record)
  known.set(record, found)
  return found
}

/** The states of all records, by the names of the kinds in the interface. */
function seenIn({ apps, databases, logicalDatabases, objectStores }: Caches): Record<string, Seen[]> {
  const provisioned = <T extends { metadata: ResourceMeta }>(
    all: readonly T[],
    stateOf: (record: T) => Omit<Seen, 'since'>,
  ): Seen[] =>
    all.map((record) =>
      seen(record, () => {
        const state = stateOf(record)
        return { ...state, since: state.state === 'pending' ? deployRequestOf(record)?.at : undefined }
      }),
    )
  return {
    apps: apps.list().map((app) => seen(app, seenApp)),
    databases: provisioned(databases.list(), databaseState),
    'logical-databases': provisioned(logicalDatabases.list(), logicalDatabaseState),
    'object-stores': provisioned(objectStores.list(), storeState),
  }
}

function seenApp(app: App): Seen {
  const { attempt, attemptGoesOn } = viewOf(app)
  const state = appState(app)
  return { ...state, since: attemptGoesOn && state.state !== 'deleting' ? attempt?.at : undefined }
}

function badBackups({ databases, logicalDatabases, objectStores, backupArchives }: Caches, now: Date): number {
  const own = Map.groupBy(backupArchives.list(), ({ spec }) => spec.databaseUid)
  return [...databases.list(), ...logicalDatabases.list(), ...objectStores.list()]
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter(({ metadata: { uid = '' } }) => backupTrouble(own.get(uid) ?? [], now) !== '').length
}
