/** When backups are restored on trial, how that is judged, and what a database says of its backups. */
import { expect } from 'chai'
import { annotations } from '../../../kinds/meta/annotations.ts'
import { provisionIntent } from '../../../kinds/provision/state.ts'
import {
  backupTrouble,
  drillFailure,
  isDrillDue,
  lastingTrouble,
  nextDrill,
  provenText,
} from '../../../kinds/backup-archives/drills.ts'
import { drilledIn, storedIn } from '../../../kinds/backup-archives/jobs.ts'
import { type BackupArchive, backupArchiveSpec } from '../../../kinds/backup-archives/kind.ts'
import { slotOf } from '../../../kinds/backup-archives/schedule.ts'

const hour = 3_600_000
const now = new Date('2026-06-15T12:00:00Z')
const uid = '2c1f0e8a-1f'
const ago = (hours: number): string => new Date(now.getTime() - hours * hour).toISOString()
/** Hours since the newest moment at which the database is to be proven. */
const sinceSlot = (now.getTime() - slotOf(uid, now, 7 * 24 * 3600).getTime()) / hour

interface Facts {
  /** Hours ago: the backup, when its drill was asked for, when that ended. */
  at: number
  asked?: number
  ended?: number
  failed?: string
}

function backup(name: string, { at, asked, ended, failed }: Facts): BackupArchive {
  const outcome = failed === undefined ? 'Proven' : 'Failed'
  return {
    apiVersion: 'x',
    kind: 'SvcBackupArchive',
    metadata: {
      name,
      uid: name,
      creationTimestamp: ago(at),
      ...(asked === undefined ? {} : { annotations: { [annotations.drill]: ago(asked) } }),
    },
    spec: backupArchiveSpec.parse({
      project: 'proj-12345678',
      environment: 'production',
      database: 'orders',
      engine: 'redis',
      connectionRef: { name: 'x' },
      bucket: 'kept',
    }),
    status: {
      checksum: 'a',
      lastRestorePoint: ago(at),
      ...(ended === undefined || asked === undefined
        ? {}
        : {
            drill: { asked: ago(asked), at: ago(ended), outcome, message: failed ?? '' },
            ...(failed === undefined ? { lastProvenAt: ago(ended) } : {}),
          }),
    },
  }
}

function failedBackup(at: number): BackupArchive {
  const made = backup('broken', { at })
  const condition = { type: 'Ready', status: 'False', reason: 'ProvisionFailed', message: 'the dump failed' } as const
  const observedIntent = provisionIntent(made, made.spec)
  return { ...made, status: { observedIntent, conditions: [{ ...condition, lastTransitionTime: ago(at) }] } }
}

describe('a restore drill', () => {
  const before = sinceSlot + 24
  const rows: readonly [string, BackupArchive[], string | undefined][] = [
    ['is of no backup where there is none', [], undefined],
    ['is of no backup that failed', [failedBackup(1)], undefined],
    ['is of the newest that is whole', [backup('old', { at: 30 }), backup('new', { at: 1 }), failedBackup(0)], 'new'],
    ['waits for the one on its way', [backup('old', { at: 30, asked: 2 }), backup('new', { at: 1 })], undefined],
    [
      'comes once in a period',
      [backup('old', { at: 30, asked: sinceSlot, ended: sinceSlot }), backup('new', { at: 1 })],
      undefined,
    ],
    [
      'comes again in the next one',
      [backup('old', { at: before + 1, asked: before, ended: before }), backup('new', { at: 1 })],
      'new',
    ],
    ['that failed comes again after a day', [backup('a', { at: 30, asked: 25, ended: 24, failed: 'x' })], 'a'],
    [
      'that failed does not come again at once',
      [backup('a', { at: 30, asked: 23, ended: 22, failed: 'x' })],
      undefined,
    ],
  ]
  for (const [what, own, name] of rows)
    it(what, () => {
      expect(nextDrill(own, uid, now)?.metadata.name).to.equal(name)
    })

  it('is due until the one that was asked for has ended, and of whole backups alone', () => {
    expect(isDrillDue(backup('a', { at: 3 }))).to.equal(false)
    expect(isDrillDue(backup('a', { at: 3, asked: 2 }))).to.equal(true)
    expect(isDrillDue(backup('a', { at: 3, asked: 2, ended: 1 }))).to.equal(false)
    expect(isDrillDue({ ...backup('a', { at: 3, asked: 2 }), status: {} })).to.equal(false)
  })

  it('compares what came back with what was written down', () => {
    const written = { tables: 2, rows: 7 }
    expect(drillFailure(written, { rows: 7, tables: 2 })).to.equal('')
    expect(drillFailure(undefined, written), 'of an older backup').to.equal('')
    expect(drillFailure(written, { tables: 2, rows: 6 })).to.equal(
      'what was restored has 2 tables, 6 rows, and the backup 2 tables, 7 rows',
    )
    expect(drillFailure(written, undefined)).to.equal('what was restored could not be counted')
  })

  it('and its backup say what they counted, and nothing else', () => {
    const stored = `{"checksum":"${'a'.repeat(64)}","size":9,"point":"2026-01-31T10:00:00Z"`
    expect(storedIn(`${stored}}`)?.counts).to.equal(undefined)
    expect(storedIn(`${stored},"counts":{"keys":3}}\n`)?.counts).to.deep.equal({ keys: 3 })
    expect(storedIn(`${stored},"counts":{"keys":$(id)}}`)).to.equal(undefined)
    expect(drilledIn('{"counts":{"tables":1,"rows":2}}')).to.deep.equal({ counts: { tables: 1, rows: 2 } })
    expect(drilledIn('{}')).to.deep.equal({ counts: undefined })
    const replayed = '"replayed":{"point":"2026-01-31T10:00:00Z","tables":1,"rows":3}'
    const counts = { tables: 1, rows: 3 }
    expect(drilledIn(`{"counts":{"tables":1,"rows":2},${replayed}}`)).to.deep.equal({
      counts: { tables: 1, rows: 2 },
      replayed: { point: '2026-01-31T10:00:00Z', counts },
    })
    expect(drilledIn(`{${replayed}}`)?.counts).to.equal(undefined)
    expect(drilledIn(`{${replayed.replace('2026-01-31T10:00:00Z', '')}}`)?.replayed).to.deep.equal({
      point: '',
      counts,
    })
    for (const said of ['', 'the backup could not be loaded', '{"size":1}', `{${replayed.replace('2026', '$(id)')}}`])
      expect(drilledIn(said)).to.equal(undefined)
  })

  it('tells what came back, from the dumps and from the WAL', () => {
    const [counts, later] = [
      { tables: 2, rows: 7 },
      { tables: 2, rows: 9 },
    ]
    expect(provenText({ counts: undefined })).to.equal('')
    expect(provenText({ counts })).to.equal('2 tables, 7 rows')
    expect(provenText({ counts, replayed: { point: '2026-01-31T10:00:00Z', counts: later } })).to.equal(
      '2 tables, 7 rows; replayed up to 2026-01-31T10:00:00Z: 2 tables, 9 rows',
    )
    expect(provenText({ counts: undefined, replayed: { point: '', counts } })).to.equal(
      'the copy of its server: 2 tables, 7 rows',
    )
  })
})

describe('the backups of a database', () => {
  const rows: readonly [string, BackupArchive[], string][] = [
    ['are no matter where there is none', [], ''],
    ['are well when they are young', [backup('a', { at: 40 })], ''],
    ['are well when they are proven', [backup('a', { at: 400, asked: 100, ended: 99 })], ''],
    [
      'say that the newest failed',
      [backup('a', { at: 5 }), failedBackup(1)],
      'the newest backup failed: the dump failed',
    ],
    ['forget one that failed before', [backup('a', { at: 1 }), failedBackup(5)], ''],
    [
      'say that the newest drill failed',
      [
        backup('a', { at: 50, asked: 48, ended: 47 }),
        backup('b', { at: 5, asked: 3, ended: 2, failed: 'no capacity' }),
      ],
      'the newest restore drill, of backup b, failed: no capacity',
    ],
    [
      'say that none was proven in time',
      [backup('a', { at: 49 }), backup('b', { at: 1 })],
      'no restore of its backups was proven yet',
    ],
    [
      'say that none was proven for long',
      [backup('a', { at: 300, asked: 260, ended: 220 })],
      `no restore of its backups was proven since ${ago(220)}`,
    ],
  ]
  for (const [what, own, message] of rows) it(what, () => expect(backupTrouble(own, now)).to.equal(message))

  it('stay bad while another one is on its way, and are well again when it has ended well', () => {
    const bad = [backup('a', { at: 30 }), failedBackup(5)]
    const whole = backup('c', { at: 0 })
    const open: BackupArchive = { ...whole, metadata: { ...whole.metadata, name: 'c', uid: 'c' }, status: {} }
    expect(backupTrouble([...bad, open], now)).to.equal('')
    expect(lastingTrouble([...bad, open], now)).to.equal('the newest backup failed: the dump failed')
    expect(lastingTrouble([...bad, whole], now)).to.equal('')
    expect(lastingTrouble([...bad, failedBackup(1)], now)).to.equal('the newest backup failed: the dump failed')
  })
})
