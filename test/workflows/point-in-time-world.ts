/** Backups whose server's log is stored, too, so that any moment since is restored: played, as by their own scripts. */
import type { V1Deployment } from '@kubernetes/client-node'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { archiveName, backupJobName, shipperName } from '../../kinds/backup-archives/names.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { askBackup } from '../../records/backups/ask-backup.ts'
import type { BackupWorld } from './backup-world.ts'

type Shipper = KubeObject & V1Deployment

/** `of`: asked whenever something is done, since a suite opens its world later. */
export function pointInTimeOf(of: () => { world: BackupWorld; database: Database }, log: 'wal' | 'binlog') {
  let turn = 0
  /** Later than the one before, and not late by itself. */
  const moment = (): Date => new Date(Math.floor(Date.now() / 1000) * 1000 - 600_000 + (turn += 1) * 10_000)
  const text = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`
  /** What the Job of a backup says at its end. */
  const said = (at: Date, more: object = { base: 'b'.repeat(64) }): string =>
    JSON.stringify({ checksum: 'a'.repeat(64), size: 9, point: text(at), ...more })
  const ask = async (at: Date): Promise<BackupArchive> => {
    const { world, database } = of()
    const { name } = database.metadata
    const live = (await world.records.databases.readLive(name)) ?? database
    return askBackup(world.records, live, { name: archiveName(name, at), trigger: 'Manual' })
  }
  const taken = async (at: Date, more?: object): Promise<BackupArchive> => {
    const { world } = of()
    const archive = await ask(at)
    await world.endPod(backupJobName(archive.metadata.name), 0, said(at, more))
    return world.untilState(archive, 'ready')
  }
  /** Its log is in the bucket up to that moment. */
  const stored = ({ spec }: BackupArchive, at: Date) => {
    const { s3, bucket } = of().world
    const object = { Bucket: bucket, Key: `${spec.path}/${log}/upto`, Body: text(at) }
    return s3.ask((client) => client.send(new PutObjectCommand(object)))
  }
  const window = async ({ metadata }: BackupArchive): Promise<string[]> => {
    const { status } = (await of().world.records.backupArchives.readLive(metadata.name)) ?? {}
    return [status?.firstRestorePoint ?? '', status?.lastRestorePoint ?? '']
  }
  /** What stores the log of the database. */
  const shippers = async ({ metadata, spec } = of().database): Promise<Shipper[]> => {
    const { client } = of().world.records
    const { items } = await client.list<Shipper>(coreTypes.deployment, { namespace: homeOf(spec) })
    return items.filter(({ metadata: { name } }) => name.startsWith(metadata.name))
  }
  const shipping = async (database?: Database): Promise<string[]> =>
    (await shippers(database)).map(({ metadata }) => metadata.name)
  const named = ({ metadata }: BackupArchive): string => shipperName(metadata.name)
  return { moment, text, said, ask, taken, stored, window, shippers, shipping, named }
}
