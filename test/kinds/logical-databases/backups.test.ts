/** Whether a logical database is backed up by itself, and what its settings make of its record, as tables. */
import { expect } from 'chai'
import {
  type BackupSettings,
  keepsBackups,
  retentionDaysOf,
  withBackupSettings,
} from '../../../kinds/provision/own-backups.ts'
import {
  type LogicalDatabase,
  type LogicalDatabaseSpec,
  logicalDatabaseSpec,
} from '../../../kinds/logical-databases/kind.ts'
import { logicalBackupRefusal } from '../../../records/backups/ask-logical-backup.ts'
import { type Database, databaseSpec } from '../../../kinds/databases/kind.ts'
import type { Project } from '../../../kinds/projects/kind.ts'

const spec = logicalDatabaseSpec.parse({
  project: 'proj-0a1b2c3d',
  environment: 'production',
  serverRef: 'shared-postgres',
  databaseName: 'shop',
})
const backed = (backups: LogicalDatabaseSpec['backups']): LogicalDatabaseSpec => ({ ...spec, backups })

describe('the backup settings of a logical database', () => {
  it('are off and seven days where nothing is said', () => {
    for (const each of [spec, backed({})]) expect([keepsBackups(each), retentionDaysOf(each)]).to.deep.equal([false, 7])
    expect(keepsBackups(backed({ enabled: true }))).to.equal(true)
    expect(retentionDaysOf(backed({ retentionDays: 3 }))).to.equal(3)
  })

  const rows: readonly [string, LogicalDatabaseSpec, BackupSettings, LogicalDatabaseSpec['backups']][] = [
    ['leave a record as it is where none is given', spec, {}, undefined],
    ['switch backups on', spec, { backups: true }, { enabled: true }],
    ['say for how long, and leave it off', spec, { backupRetentionDays: 3 }, { retentionDays: 3 }],
    ['keep the days', backed({ retentionDays: 3 }), { backups: true }, { enabled: true, retentionDays: 3 }],
    ['switch backups off', backed({ enabled: true }), { backups: false }, { enabled: false }],
  ]
  for (const [does, before, given, after] of rows)
    it(does, () => {
      expect(withBackupSettings(before, given).backups).to.deep.equal(after)
    })
})

describe('the backup of a logical database is refused', () => {
  const metadata = { name: 'orders', uid: 'a' }
  const made = { database: 'x', username: 'u', connectionSecret: 'orders-connection' }
  const database = (change: object = {}): LogicalDatabase =>
    ({ metadata, spec, status: made, ...change }) as LogicalDatabase // as much as the rule asks for
  const server = (change: object = {}): Database =>
    ({ metadata: { name: 'shared-postgres' }, spec: databaseSpec.parse(change) }) as Database
  const project = (storage: object | undefined): Project => ({ spec: { backupStorage: storage } }) as Project
  const leaving = { metadata: { ...metadata, deletionTimestamp: 'x' } }
  const inServer = 'the logical database is in the backups of its server: back up the database own'

  const rows: readonly [string, ReturnType<typeof logicalBackupRefusal>, string][] = [
    ['never where nothing is missing', logicalBackupRefusal(database(), server(), project({}), 'Manual'), ''],
    [
      'while it is deleted',
      logicalBackupRefusal(database(leaving), server(), project({}), 'Schedule'),
      'the logical database is being deleted',
    ],
    ['not before its deletion', logicalBackupRefusal(database(leaving), server(), project({}), 'Deletion'), ''],
    [
      'on a server of its project',
      logicalBackupRefusal(database({ spec: { ...spec, serverRef: 'own' } }), server(), project({}), 'Manual'),
      inServer,
    ],
    [
      'before it was made',
      logicalBackupRefusal(database({ status: { database: 'x' } }), server(), project({}), 'Manual'),
      'the logical database was not made yet',
    ],
    [
      'without its server',
      logicalBackupRefusal(database(), undefined, project({}), 'Deletion'),
      'the server shared-postgres does not exist',
    ],
    [
      'of a server elsewhere',
      logicalBackupRefusal(database(), server({ placement: 'External', provider: 'AWS' }), project({}), 'Manual'),
      'only databases on this cluster are backed up',
    ],
    [
      'without a storage',
      logicalBackupRefusal(database(), server(), project(undefined), 'Manual'),
      'choose a backup storage for the project first',
    ],
  ]
  for (const [when, refusal, sentence] of rows)
    it(when, () => {
      expect(refusal).to.equal(sentence)
    })
})
