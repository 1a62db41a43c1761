/** What stores the WAL of a backup, by workers that have read a moment ago what is gone by now. */
import { randomBytes } from 'node:crypto'
import type { V1Deployment, V1Pod } from '@kubernetes/client-node'
import { expect } from 'chai'
import { handOverWal } from '../../../activities/backup-archives/take-backup.ts'
import { followWal } from '../../../activities/backups/wal.ts'
import type { ActivityNeeds } from '../../../activities/context/needs.ts'
import { isConflict } from '../../../cluster/objects/errors.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { type BackupArchive, backupArchiveSpec } from '../../../kinds/backup-archives/kind.ts'
import { shipperName } from '../../../kinds/backup-archives/names.ts'
import { walSlot } from '../../../kinds/backup-archives/wal/rules.ts'
import { shipperLabel } from '../../../kinds/backup-archives/wal/shipper.ts'
import type { Database } from '../../../kinds/databases/kind.ts'
import { annotations, finalizers, labels } from '../../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../../kinds/meta/group.ts'
import { namespaceOf } from '../../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { provisionIntent } from '../../../kinds/provision/state.ts'
import { UpstreamError } from '../../../outside/upstream-error.ts'
import { eventually } from '../../cluster/eventually.ts'
import { createProject, type TestRecords, useRecords } from '../../harness/records.ts'
import { withoutWorker } from '../../harness/worker.ts'
import { createDatabase, remove } from '../../workflows/database-world.ts'

describe('what stores the WAL of a backup', () => {
  let records: TestRecords
  let database: Database
  let namespace: string

  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    records = await useRecords()
  })
  beforeEach(async () => {
    const project = await createProject(records)
    namespace = namespaceOf(project.metadata.name, 'production')
    const home: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
    await records.client.create(coreTypes.namespace, home)
    const spec = { engine: 'postgres', version: '16', backups: { enabled: true, retentionDays: 7 } }
    database = await createDatabase(records, project, spec)
  })
  afterEach(() => records.client.delete({ type: coreTypes.namespace, name: namespace }))

  /** Verified, with a copy of the server, of that minute. */
  async function backup(minute: number): Promise<BackupArchive> {
    const { name } = (await asked()).metadata
    const at = `2026-01-01T00:0${minute}:00Z`
    const status = { checksum: 'a', base: 'b', firstRestorePoint: at, lastRestorePoint: at, lastBackupAt: at }
    const ref = { type: resourceTypes.backupArchive, namespace: systemNamespace, name }
    return records.client.patch<BackupArchive>(ref, { status }, { subresource: 'status' })
  }
  async function asked(): Promise<BackupArchive> {
    const { metadata, spec } = database
    const name = `${metadata.name}-${randomBytes(4).toString('hex')}`
    return records.backupArchives.create({
      apiVersion,
      kind: resourceTypes.backupArchive.kind,
      metadata: { name, namespace: systemNamespace, finalizers: [finalizers.backupArchive] },
      spec: backupArchiveSpec.parse({
        project: spec.project,
        environment: spec.environment,
        database: metadata.name,
        databaseUid: metadata.uid,
        engine: 'postgres',
        version: '16',
        source: 'ObjectStore',
        connectionRef: { name: 'store' },
        bucket: 'backups',
        pointInTime: true,
        path: `svc-backups/p/${name}-${randomBytes(4).toString('hex')}`,
      }),
    })
  }
  const leaving = async ({ metadata: { name, uid = '' } }: BackupArchive): Promise<BackupArchive> => {
    await records.backupArchives.remove(name, uid)
    const found = await records.backupArchives.readLive(name)
    if (found?.metadata.deletionTimestamp === undefined) throw new Error(`${name} is not being deleted`)
    return found
  }
  const needs = (change: object = {}) => ({ ...records, backupImage: 'rclone', ...change }) as unknown as ActivityNeeds
  const shippers = async (): Promise<string[]> =>
    (await records.client.list<KubeObject>(coreTypes.deployment, { namespace })).items.map(
      ({ metadata }) => metadata.name,
    )

  it('is not made again for a backup that is being deleted by now', async () => {
    const seen = await backup(1)
    await leaving(seen)
    expect(await followWal(needs(), database, [seen])).to.equal('')
    expect(await shippers()).to.deep.equal([])
  })

  it('is not made again for a database that is gone by now', async () => {
    const seen = await backup(1)
    await remove(records, database)
    expect(await followWal(needs(), database, [seen])).to.equal('')
    expect(await shippers()).to.deep.equal([])
  })

  it('leaves the slot of a backup that is still being taken, until that one is whole or has failed', async () => {
    const staying = async (own: readonly BackupArchive[]) => {
      await eventually('it is followed', () => followed(own), 10_000)
      const { items } = await records.client.list<V1Deployment & KubeObject>(coreTypes.deployment, { namespace })
      const env = items.flatMap(({ spec }) => spec?.template.spec?.containers[0]?.env ?? [])
      return env.filter(({ name }) => name === 'WAL_STAY').map(({ value = '' }) => value)
    }
    // The controllers of the cluster write the same Deployment; a pass that meets them is repeated.
    const followed = (own: readonly BackupArchive[]): Promise<boolean> =>
      followWal(needs(), database, own).then(
        () => true,
        (error: unknown) => (isConflict(error) ? false : Promise.reject(error)),
      )
    const [slow, quick] = [await asked(), await backup(1)]
    expect(await staying([slow, quick])).to.deep.equal([walSlot(slow)])
    const conditions = [{ type: 'Ready', status: 'False', reason: 'ProvisionFailed', message: 'x' }]
    const given = { ...slow, status: { conditions, observedIntent: provisionIntent(slow, slow.spec) } } as BackupArchive
    expect(await staying([given, quick])).to.deep.equal([''])
    const retried = { ...given.metadata, annotations: { [annotations.retry]: 'again' } }
    expect(await staying([{ ...given, metadata: retried }, quick])).to.deep.equal([walSlot(slow)])
    expect(await staying([quick])).to.deep.equal([''])
  })

  it('ends with its backup also where its database is gone', async function () {
    this.timeout(30_000)
    const archive = await backup(1)
    await followWal(needs(), database, [archive])
    const name = shipperName(archive.metadata.name)
    expect(await shippers()).to.deep.equal([name])
    const pod: V1Pod & KubeObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace, labels: { [shipperLabel]: name, [labels.managedBy]: 'svc' } },
      spec: { containers: [{ name: 'wal', image: 'x' }] },
    }
    await records.client.create(coreTypes.pod, pod)
    await remove(records, database)
    const gone = await leaving(archive)
    expect(await handOverWal(needs())(gone)).to.deep.equal({ outcome: 'waiting', message: 'its WAL is being stored' })
    expect(await shippers()).to.deep.equal([])
    await records.client.delete({ type: coreTypes.pod, namespace, name }, { gracePeriodSeconds: 0 })
    // The cluster may have begun with the pod of the Deployment, too.
    const isOver = async () => (await handOverWal(needs())(gone)) === undefined
    await eventually('nothing stores it any more', isOver, 20_000)
  })

  it('ends with its backup also where the bucket of another one does not answer', async () => {
    const [one] = [await backup(1), await backup(2)]
    const silent = {
      readLive: () => Promise.reject(new UpstreamError(404, 'NoSuchBucket', '404: NoSuchBucket', false)),
    }
    expect(await handOverWal(needs({ objectStores: silent }))(await leaving(one))).to.equal(undefined)
  })
})
