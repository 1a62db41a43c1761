/** When databases are backed up, and which backups are old. */
import { expect } from 'chai'
import { type BackupArchive, backupArchiveSpec } from '../../../kinds/backup-archives/kind.ts'
import { archiveName } from '../../../kinds/backup-archives/names.ts'
import { type Keeping, lastSlot, oldBackups } from '../../../kinds/backup-archives/schedule.ts'

const day = 24 * 3_600_000
const now = new Date('2026-06-15T12:00:00Z')

function backup(name: string, daysAgo: number, state: 'whole' | 'failed' | 'going' | 'leaving'): BackupArchive {
  const at = new Date(now.getTime() - daysAgo * day).toISOString()
  const condition = { type: 'Ready', status: 'False', message: '', lastTransitionTime: at } as const
  return {
    apiVersion: 'x',
    kind: 'SvcBackupArchive',
    metadata: {
      name,
      uid: name,
      creationTimestamp: at,
      ...(state === 'leaving' ? { deletionTimestamp: at } : {}),
    },
    spec: backupArchiveSpec.parse({
      project: 'proj-12345678',
      environment: 'production',
      database: 'orders',
      engine: 'redis',
      connectionRef: { name: 'x' },
      bucket: 'kept',
    }),
    status:
      state === 'whole' || state === 'leaving'
        ? { checksum: 'a', lastRestorePoint: at }
        : { conditions: [{ ...condition, reason: state === 'failed' ? 'ProvisionFailed' : 'ReconcileError' }] },
  }
}

/** As a deletion asks for one: kept for three days. */
const last = (of: BackupArchive): BackupArchive => ({ ...of, spec: { ...of.spec, trigger: 'Deletion', keepDays: 3 } })

describe('the schedule of backups', () => {
  it('has one moment a day for each database, the same for everybody who asks', () => {
    const uid = '2c1f0e8a-1f'
    const slot = lastSlot(uid, now)
    expect(slot.getTime()).to.be.within(now.getTime() - day, now.getTime())
    expect(lastSlot(uid, new Date(slot.getTime() + day - 1000))).to.deep.equal(slot)
    expect(lastSlot(uid, new Date(slot.getTime() + day + 1000)).getTime() - slot.getTime()).to.equal(day)
    expect(archiveName('orders', slot)).to.match(/^orders-2026061[45]-\d{6}$/)
    expect(archiveName('x'.repeat(63), slot).length + '-backup'.length).to.equal(63)
  })

  it('spreads databases over the day', () => {
    const hours = Array.from({ length: 2_000 }, (_, at) => lastSlot(`uid-${at * 7919}`, now).getUTCHours())
    for (let hour = 0; hour < 24; hour += 1)
      expect(hours.filter((each) => each === hour).length, `at ${hour}`).to.be.within(40, 140)
  })
})

describe('the retention of backups', () => {
  const rows: readonly [string, BackupArchive[], Keeping, string[]][] = [
    ['keeps what is young', [backup('a', 1, 'whole'), backup('b', 6, 'whole')], 7, []],
    ['removes what is older than its days', [backup('a', 1, 'whole'), backup('b', 8, 'whole')], 7, ['b']],
    ['never removes the last whole one', [backup('a', 400, 'whole')], 1, []],
    ['keeps the newest of old ones', [backup('a', 90, 'whole'), backup('b', 80, 'whole')], 7, ['a']],
    ['waits until a newer one is whole', [backup('a', 20, 'whole'), backup('b', 0, 'going')], 7, []],
    ['does not take a failed one for a newer one', [backup('a', 20, 'whole'), backup('b', 0, 'failed')], 7, []],
    ['does not take one that is going for a newer one', [backup('a', 20, 'whole'), backup('b', 1, 'leaving')], 7, []],
    ['removes a failed one once a newer is whole', [backup('a', 0, 'whole'), backup('b', 1, 'failed')], 7, ['b']],
    ['keeps a failed one that is the newest', [backup('a', 2, 'whole'), backup('b', 1, 'failed')], 7, []],
    ['removes a failed one after a week', [backup('b', 8, 'failed')], 7, ['b']],
    ['leaves one alone that is on its way', [backup('a', 0, 'whole'), backup('b', 30, 'going')], 7, []],
    ['keeps those of a database that is gone', [backup('a', 1, 'whole'), backup('b', 900, 'whole')], 'gone', []],
    [
      'keeps those of a database that takes none any more',
      [backup('a', 1, 'whole'), backup('b', 900, 'whole')],
      'always',
      [],
    ],
    ['keeps the one that a deletion waits for', [last(backup('a', 400, 'whole'))], 'always', []],
    ['keeps the one that a deletion waited for its days', [last(backup('a', 2, 'whole'))], 'gone', []],
    [
      'removes it after its days, and no other',
      [last(backup('a', 4, 'whole')), backup('b', 9, 'whole')],
      'gone',
      ['a'],
    ],
  ]
  for (const [what, backups, keeping, gone] of rows)
    it(what, () => {
      expect(oldBackups(backups, keeping, now).map(({ metadata }) => metadata.name)).to.deep.equal(gone)
    })
})
