/** Which databases keep their WAL, what of it a backup can be restored to, and what is said when it is not stored. */
import { expect } from 'chai'
import { logRemoved } from '../../../kinds/backup-archives/binlog/base-script.ts'
import { type BackupArchive, backupArchiveSpec, type BackupArchiveStatus } from '../../../kinds/backup-archives/kind.ts'
import { oldBackups } from '../../../kinds/backup-archives/schedule.ts'
import {
  beginsWal,
  isRecovered,
  isTakenOver,
  laterMoment,
  walSlot,
  walTrouble,
  withWal,
} from '../../../kinds/backup-archives/wal/rules.ts'
import { keepsWal, walKeep } from '../../../kinds/databases/keeps-wal.ts'
import { type Database, databaseSpec } from '../../../kinds/databases/kind.ts'

const now = new Date('2026-11-24T12:00:00Z')

function backup(name: string, status: BackupArchiveStatus, spec: object = {}): BackupArchive {
  return {
    apiVersion: 'x',
    kind: 'SvcBackupArchive',
    metadata: { name, uid: name, creationTimestamp: '2026-11-24T10:15:00Z' },
    spec: backupArchiveSpec.parse({
      project: 'proj-12345678',
      environment: 'production',
      database: 'orders',
      engine: 'postgres',
      connectionRef: { name: 'x' },
      bucket: 'kept',
      path: 'svc-backups/proj-12345678/orders-20261124-101500-1a2b3c4d',
      pointInTime: true,
      ...spec,
    }),
    status,
  }
}

const copied = (first: string, last = first): BackupArchiveStatus => ({
  checksum: 'a',
  base: 'b',
  firstRestorePoint: `2026-11-${first}:00Z`,
  lastRestorePoint: `2026-11-${last}:00Z`,
})

const server = (spec: object, status: Database['status'] = {}): Database => ({
  apiVersion: 'x',
  kind: 'SvcDatabase',
  metadata: { name: 'orders' },
  spec: databaseSpec.parse({
    project: 'proj-12345678',
    environment: 'production',
    backups: { enabled: true },
    deploy: { enabled: true },
    ...spec,
  }),
  status,
})

describe('the WAL of a database is stored', () => {
  const rows: readonly [string, Database, boolean][] = [
    ['of a postgres that keeps backups', server({}), true],
    ['of the oldest version that bounds what a slot holds back', server({ version: '13.4' }), true],
    ['not of an older one', server({ version: '12' }), false],
    ['not without backups', server({ backups: { enabled: false } }), false],
    ['of a mysql that keeps backups', server({ engine: 'mysql', version: '8.4' }), true],
    ['not of another engine', server({ engine: 'redis' }), false],
    ['of the server of an operator', server({}, { operated: true }), true],
    ['not of a draft', server({ deploy: { enabled: false } }), false],
  ]
  for (const [what, database, wanted] of rows) it(what, () => expect(keepsWal(database)).to.equal(wanted))

  it('from backups on after which the server stays as it is', () => {
    expect((['Manual', 'Schedule', 'Deletion', 'Upgrade'] as const).map(beginsWal)).to.deep.equal([
      true,
      true,
      false,
      false,
    ])
  })

  it('by a slot of its own for each backup, in the order of the backups, that holds back a part of the volume', () => {
    expect(walSlot(backup('a', {}))).to.equal('svc_backup_20261124101500_1a2b3c4d')
    expect([walKeep('10Gi'), walKeep('1Gi')]).to.deep.equal([1024, 128])
  })
})

describe('the window of a backup', () => {
  it('is that of backups with a copy of the server, the newest first', () => {
    const [old, fresh] = [backup('old', copied('23T10:00')), backup('new', copied('24T10:00'))]
    const bare = backup('bare', { checksum: 'a', firstRestorePoint: '2026-11-24T11:00:00Z' })
    const half = backup('half', {})
    expect(withWal([old, bare, half, fresh]).map(({ metadata }) => metadata.name)).to.deep.equal(['new', 'old'])
  })

  it('grows, and never shrinks', () => {
    const archive = backup('a', copied('24T10:00', '24T11:00'))
    expect(laterMoment(archive, '2026-11-24T11:00:01Z', now)).to.equal('2026-11-24T11:00:01Z')
    for (const upto of ['2026-11-24T11:00:00Z', '2026-11-24T10:30:00Z', '', 'x'])
      expect(laterMoment(archive, upto, now)).to.equal(undefined)
  })

  it('is not led into the future, nor by what is no moment, whatever the bucket says', () => {
    const archive = backup('a', copied('24T10:00', '24T11:00'))
    expect(laterMoment(archive, '2026-11-24T12:59:59Z', now), 'by the clock of the server').not.to.equal(undefined)
    for (const upto of [
      '2026-11-24T13:00:01Z',
      '2099-01-01T00:00:00Z',
      '24 Nov 2026 11:30 (x)',
      '2026-11-24T99:00:00Z',
    ])
      expect(laterMoment(archive, upto, now)).to.equal(undefined)
  })

  it('is replayed after the moment of the backup alone', () => {
    const archive = backup('a', copied('24T10:00', '24T11:00'))
    expect(isRecovered(archive, '2026-11-24T10:00:01Z')).to.equal(true)
    expect(isRecovered(archive, '2026-11-24T10:00:00.000Z')).to.equal(false)
    expect(isRecovered(archive, undefined)).to.equal(false)
    expect(isRecovered(backup('b', { checksum: 'a' }), '2026-11-24T10:30:00Z')).to.equal(false)
  })

  it('reaches to the next backup before that goes on alone, or ends where it is not stored any more', () => {
    const next = backup('new', copied('24T11:30'))
    expect(isTakenOver(backup('old', copied('23T10:00', '24T11:29')), next, now)).to.equal(false)
    expect(isTakenOver(backup('old', copied('23T10:00', '24T11:30')), next, now)).to.equal(true)
    const late = new Date('2026-11-24T12:31:00Z')
    expect(isTakenOver(backup('old', copied('23T10:00', '24T09:00')), next, late)).to.equal(true)
  })

  it('keeps its backup for the days that count from its end', () => {
    const [kept, gone] = [
      backup('kept', copied('20T10:00', '21T13:00')),
      backup('gone', copied('19T10:00', '20T10:00')),
    ]
    const newest = backup('new', copied('24T10:00'))
    expect(oldBackups([kept, gone, newest], 3, now)).to.deep.equal([gone])
  })
})

describe('a database says of its WAL', () => {
  const rows: readonly [string, BackupArchive | undefined, string][] = [
    ['nothing without a backup', undefined, ''],
    ['nothing while it is stored', backup('a', copied('24T10:00', '24T11:30')), ''],
    ['nothing of a backup of one moment', backup('a', { checksum: 'a' }, { pointInTime: undefined }), ''],
    [
      'that it is not stored for an hour',
      backup('a', copied('24T10:00', '24T10:59')),
      'moments after 2026-11-24T10:59:00Z cannot be restored: its WAL is not stored',
    ],
    [
      'that its newest backup has no copy of it',
      backup('a', { checksum: 'a', lastRestorePoint: '2026-11-24T11:59:00Z' }),
      'moments after its newest backup cannot be restored: the server could not be copied',
    ],
    [
      'that the binary log of a mysql is not stored for an hour',
      backup('a', copied('24T10:00', '24T10:59'), { engine: 'mysql' }),
      'moments after 2026-11-24T10:59:00Z cannot be restored: its binary log is not stored',
    ],
    [
      'that a mysql with a binary log could not be copied',
      backup('a', { checksum: 'a', noLaterMoments: 'the server could not be copied' }, { engine: 'mysql' }),
      'moments after its newest backup cannot be restored: the server could not be copied',
    ],
    [
      'that a mysql removed its binary log during its newest backup',
      backup('a', { checksum: 'a', noLaterMoments: logRemoved }, { engine: 'mysql' }),
      `moments after its newest backup cannot be restored: ${logRemoved}`,
    ],
    [
      'nothing of a mysql without a binary log',
      backup('a', { checksum: 'a', noLaterMoments: 'the server keeps no binary log' }, { engine: 'mysql' }),
      '',
    ],
  ]
  for (const [what, newest, message] of rows) it(what, () => expect(walTrouble(newest, now)).to.equal(message))
})
