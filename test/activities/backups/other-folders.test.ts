/** Backups whose records were written by hand, with a folder that svc did not give them. */
import { expect } from 'chai'
import { removeFiles } from '../../../activities/backup-archives/remove-files.ts'
import { prepare } from '../../../activities/backup-archives/take-backup.ts'
import type { ActivityNeeds } from '../../../activities/context/needs.ts'
import { permanent } from '../../../activities/provision/step.ts'
import { type BackupArchive, backupArchiveSpec } from '../../../kinds/backup-archives/kind.ts'
import { archivePath, isArchivePath } from '../../../kinds/backup-archives/names.ts'
import { databaseSpec } from '../../../kinds/databases/kind.ts'
import { apiVersion } from '../../../kinds/meta/group.ts'

const project = 'proj-00000001'
const name = 'orders-20261123-101500'
const own = archivePath(project, name, '1a2b3c4d')

const others = [
  '',
  'customers',
  'svc-backups',
  `svc-backups/${project}`,
  `${own}/..`,
  `${own}/base`,
  own.slice(0, -1),
  archivePath(project, name, '../orders'),
  archivePath(project, `${name}-x`, '1a2b3c4d'),
  archivePath('proj-00000002', name, '1a2b3c4d'),
]

const archiveAt = (path: string): BackupArchive => ({
  apiVersion,
  kind: 'SvcBackupArchive',
  metadata: { name },
  spec: backupArchiveSpec.parse({
    project,
    environment: 'production',
    database: 'orders',
    engine: 'postgres',
    connectionRef: { name: 'aws' },
    bucket: 'everything',
    path,
  }),
})

describe('the folder of a backup', () => {
  const spec = databaseSpec.parse({ project, environment: 'production', engine: 'postgres' })
  const database = { metadata: { name: 'orders' }, spec }
  const asked = new Error('the bucket was asked for')
  /** Whatever else is used of it is on the way to the bucket. */
  const needs = new Proxy({ databases: { readLive: async () => database } } as unknown as ActivityNeeds, {
    get(target, key) {
      if (key === 'databases') return target.databases
      throw asked
    },
  })

  it('is the one that svc gave it', () => {
    expect(isArchivePath(own, project, name)).to.equal(true)
    expect(others.filter((path) => isArchivePath(path, project, name))).to.deep.equal([])
  })

  it('alone is removed', async () => {
    expect(await removeFiles(needs)(archiveAt(own)).catch((error: unknown) => error)).to.equal(asked)
    for (const path of others) expect(await removeFiles(needs)(archiveAt(path)), path).to.equal(undefined)
  })

  it('alone is written to', async () => {
    const trigger = 'Deletion' // does not wait for the database
    const at = (path: string): BackupArchive => ({ ...archiveAt(path), spec: { ...archiveAt(path).spec, trigger } })
    expect(await prepare(needs)(at(own)).catch((error: unknown) => error)).to.equal(asked)
    for (const path of others)
      expect(await prepare(needs)(at(path)), path).to.deep.equal(permanent('the path of the backup is not its own'))
  })
})
