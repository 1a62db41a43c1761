/** A backup that is older than it is kept goes, but not under the hands of a restore or a drill. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { removeIfOld } from '../../../activities/resync/backups.ts'
import type { ActivityNeeds } from '../../../activities/context/needs.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { type BackupArchive, backupArchiveSpec } from '../../../kinds/backup-archives/kind.ts'
import { effectiveDatabaseSpec } from '../../../kinds/databases/draft.ts'
import type { Database } from '../../../kinds/databases/kind.ts'
import { effectiveStoreSpec } from '../../../kinds/object-stores/draft.ts'
import { type ObjectStore, objectStoreSpec } from '../../../kinds/object-stores/kind.ts'
import { annotations } from '../../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../../kinds/meta/group.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import type { Project } from '../../../kinds/projects/kind.ts'
import { provisionIntent } from '../../../kinds/provision/state.ts'
import { forgetRecords } from '../../harness/forget-records.ts'
import { createProject, type TestRecords, useRecords } from '../../harness/records.ts'
import { withoutWorker } from '../../harness/worker.ts'
import { createDatabase } from '../../workflows/database-world.ts'

describe('a backup that is older than it is kept', function () {
  this.timeout(60_000)
  let records: TestRecords
  let project: Project

  before(async () => {
    await withoutWorker()
    records = await useRecords()
  })
  beforeEach(async () => {
    project = await createProject(records)
  })
  afterEach(forgetRecords)

  /** Whole, so many days ago. */
  async function backup(days: number, spec: object): Promise<BackupArchive> {
    const name = `backup-${randomBytes(4).toString('hex')}`
    const at = new Date(Date.now() - days * 24 * 3600 * 1000).toISOString()
    const made = await records.backupArchives.create({
      apiVersion,
      kind: resourceTypes.backupArchive.kind,
      metadata: { name, namespace: systemNamespace },
      spec: backupArchiveSpec.parse({
        project: project.metadata.name,
        environment: 'production',
        source: 'ObjectStore',
        connectionRef: { name: 'store' },
        bucket: 'backups',
        path: `svc-backups/p/${name}`,
        ...spec,
      }),
    })
    const status = { checksum: 'a', firstRestorePoint: at, lastRestorePoint: at, lastBackupAt: at }
    return written<BackupArchive>(made, status)
  }
  const written = <T extends KubeObject>({ kind, metadata: { name } }: KubeObject, status: object): Promise<T> => {
    const type = Object.values(resourceTypes).find((each) => each.kind === kind) ?? expect.fail(kind)
    return records.client.patch<T>({ type, namespace: systemNamespace, name }, { status }, { subresource: 'status' })
  }
  const isRemoved = async (archive: BackupArchive, others: readonly BackupArchive[]): Promise<boolean> => {
    const needs = { ...records, now: () => new Date() } as unknown as ActivityNeeds // all that it uses
    return (await removeIfOld(needs, archive, [archive, ...others])) && (await isGone(archive))
  }
  const isGone = async ({ metadata: { name } }: BackupArchive) =>
    (await records.backupArchives.readLive(name)) === undefined

  async function ofDatabase(): Promise<[BackupArchive, BackupArchive[]]> {
    const spec = { engine: 'sqlite', backups: { enabled: true, retentionDays: 7 } }
    const { metadata } = await createDatabase(records, project, spec)
    const of = { database: metadata.name, databaseUid: metadata.uid, engine: 'sqlite' }
    return [await backup(8, of), [await backup(1, of)]]
  }
  const restored = (archive: BackupArchive): Promise<Database> =>
    createDatabase(records, project, { engine: 'sqlite', restoreFrom: { archive: archive.metadata.name } })
  const markFailed = (record: Database | ObjectStore, spec: unknown) => {
    const ready = { type: 'Ready', status: 'False', reason: 'ProvisionFailed', message: 'x' }
    const conditions = [{ ...ready, lastTransitionTime: new Date().toISOString() }]
    return written(record, { conditions, observedIntent: provisionIntent(record, spec) })
  }

  it('goes', async () => {
    const [old, newer] = await ofDatabase()
    expect(await isRemoved(old, newer)).to.equal(true)
  })

  it('stays while a database is filled with it, and goes once that is done', async () => {
    const [old, newer] = await ofDatabase()
    const database = await restored(old)
    expect(await isRemoved(old, newer)).to.equal(false)
    expect(await isGone(old)).to.equal(false)
    await written(database, { restored: { archive: old.metadata.name, point: '2026-01-01T00:00:00Z' } })
    expect(await isRemoved(old, newer)).to.equal(true)
  })

  it('goes once a restore of it was given up, or is of another one', async () => {
    const [old, newer] = await ofDatabase()
    for (const each of newer) await restored(each)
    const database = await restored(old)
    await markFailed(database, effectiveDatabaseSpec(database))
    expect(await isRemoved(old, newer)).to.equal(true)
  })

  it('stays while a drill of it goes on', async () => {
    const [old, newer] = await ofDatabase()
    const asked = '2026-01-01T00:00:00Z'
    const notes = { metadata: { annotations: { [annotations.drill]: asked } } }
    const ref = { type: resourceTypes.backupArchive, namespace: systemNamespace, name: old.metadata.name }
    const tried = await records.client.patch<BackupArchive>(ref, notes)
    // The list that it was judged by is older than the drill.
    expect(await isRemoved(old, newer)).to.equal(false)
    await written(tried, { drill: { asked, at: asked, outcome: 'Proven', message: 'x' } })
    expect(await isRemoved(old, newer)).to.equal(true)
  })

  it('of a bucket stays while another one is filled with it', async () => {
    const make = (spec: object): Promise<ObjectStore> =>
      records.objectStores.create({
        apiVersion,
        kind: resourceTypes.objectStore.kind,
        metadata: { name: `bucket-${randomBytes(4).toString('hex')}`, namespace: systemNamespace },
        spec: objectStoreSpec.parse({
          project: project.metadata.name,
          environment: 'production',
          engine: 'Local',
          buckets: [`media-${randomBytes(4).toString('hex')}`],
          deploy: { enabled: true },
          ...spec,
        }),
      })
    const { metadata } = await make({ backups: { enabled: true, retentionDays: 7 } })
    const of = { database: metadata.name, databaseUid: metadata.uid, engine: 'bucket', databaseKind: 'ObjectStore' }
    const [old, newer] = [await backup(8, of), [await backup(1, of)]]
    const filled = await make({ restoreFrom: { archive: old.metadata.name } })
    expect(await isRemoved(old, newer)).to.equal(false)
    await markFailed(filled, effectiveStoreSpec(filled))
    expect(await isRemoved(old, newer)).to.equal(true)
  })
})
