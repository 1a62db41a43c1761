/**
 * The callers of a kill run whose databases are backed up: one for each engine, with a project and a bucket for its
 * backups.
 */
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { storedBuckets } from '../../kinds/object-stores/stored-buckets.ts'
import { untilReady } from '../harness/object-server.ts'
import { type MortalName, mortalEngines } from '../harness/backed-engines.ts'
import { createProject, type TestRecords, until } from '../harness/records.ts'
import type { BackupPlace } from './backup-breaches.ts'
import { BackupSlot } from './backup-slot.ts'
import { bucketRecord } from './data-scenarios.ts'
import { chanceFrom } from './seeded.ts'
import type { World } from './world.ts'

const environment = 'production'

export interface BackupSlots {
  slots: readonly BackupSlot[]
  /** Names of their projects. */
  projects: readonly string[]
  /** Names of the buckets that the backups are in. */
  stores: readonly string[]
  breaches(): Promise<string[]>
  /** Values that may be readable nowhere. */
  secrets(): Promise<string[]>
  /** What came of them so far, in words. */
  summary(): string
}

/** The object server of the cluster is there. */
export async function openBackupSlots(
  world: World,
  records: TestRecords,
  report: (breach: string) => void,
): Promise<BackupSlots> {
  const places = await Promise.all(
    mortalEngines.map((engine, number) => openPlace(records, `kill-backups-${number}`, engine)),
  )
  const slots = places.map(
    (place, number) => new BackupSlot({ world, records, place, report }, `backed-${number}`, chanceFrom(number)),
  )
  return {
    slots,
    projects: places.map(({ project }) => project),
    stores: places.map(({ store }) => store),
    breaches: async () => (await Promise.all(slots.map(({ judge }) => judge.breaches()))).flat(),
    secrets: async () => (await Promise.all(slots.map(({ judge }) => judge.secrets()))).flat(),
    summary() {
      const sum = (of: (slot: BackupSlot) => number) => slots.reduce((all, slot) => all + of(slot), 0)
      const { ended, failed, died } = world.outside.backups.count()
      return [
        `${sum(({ judge }) => judge.count)} backups whole, ${sum(({ restored }) => restored)} restored,`,
        `${sum(({ drilled }) => drilled)} drilled; ${ended} of their pods ended well, ${failed} did not, ${died} were killed`,
      ].join(' ')
    },
  }
}

async function openPlace(records: TestRecords, name: string, engine: MortalName): Promise<BackupPlace> {
  const made = await createProject(records)
  const project = made.metadata.name
  const isReady = (record: typeof made | undefined) => readyOf(record?.status?.conditions)?.status === 'True'
  await until(records.projects, made, isReady, 'ready')
  const store = await untilReady(records, await records.objectStores.create(bucketRecord(name, project)))
  const bucket = storedBuckets(store.spec)[0] ?? ''
  await records.projects.edit(project, (current) => ({
    ...current,
    spec: {
      ...current.spec,
      backupStorage: { source: 'ObjectStore', connectionRef: { name }, bucket, region: '' },
    },
  }))
  return { project, environment, engine, namespace: homeOf({ project, environment }), store: name, bucket }
}
