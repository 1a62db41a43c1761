/** What the Jobs of backups are given of a record. */
import { expect } from 'chai'
import { drillJob, recoveryJob, replayJob, storedIn } from '../../../kinds/backup-archives/jobs.ts'
import type { BackupJob } from '../../../kinds/backup-archives/pods.ts'
import { anyNode } from '../../../kinds/placement/node-choice.ts'

const job: BackupJob = {
  name: 'orders-restore',
  namespace: 'proj-1-production',
  engine: 'postgres',
  image: 'postgres:17',
  transferImage: 'rclone:1',
  host: 'orders.proj-1-production.svc',
  port: 5432,
  secrets: { store: 'store', login: 'login', admin: 'admin' },
  nodes: anyNode,
  labels: {},
  podLabels: {},
  notes: {},
}
const size = { cpu: '1', memory: '1Gi' }

const pointOf = (made: ReturnType<typeof recoveryJob>): string | undefined =>
  [...(made.spec?.template.spec?.initContainers ?? []), ...(made.spec?.template.spec?.containers ?? [])]
    .flatMap(({ env = [] }) => env)
    .find(({ name }) => name === 'POINT')?.value

const recovered = (point: string) =>
  pointOf(recoveryJob(job, { base: 'b', point, former: 'orders', data: { claim: 'data', at: '/data' }, size }))
const drilled = (point: string) =>
  pointOf(drillJob(job, { checksum: 'c', copy: { base: 'b', point } }, { ...size, storage: '1Gi' }))

const replayed = (point: string) => pointOf(replayJob({ ...job, engine: 'mysql' }, { base: 'b', point }))

const rows: [given: string, moment: string][] = [
  ['2026-11-24T10:15:00Z', '2026-11-24T10:15:00Z'],
  ['2026-11-24T12:15:00.5+02:00', '2026-11-24T10:15:00.500Z'],
  ["Tue, 24 Nov 2026 10:15:00 GMT (' -c ssl_passphrase_command='id)", '2026-11-24T10:15:00Z'],
]

describe('the moment that a Job is given', () => {
  for (const [given, moment] of rows)
    it(`of ${given} is ${moment}`, () => {
      expect(Date.parse(given)).to.equal(Date.parse(moment))
      expect([recovered(given), drilled(given), replayed(given)]).to.deep.equal([moment, moment, moment])
    })

  it('of none in particular is empty', () => expect(drilled('')).to.equal(''))

  it('is none of what is no time', () => expect(() => recovered('yesterday')).to.throw(RangeError))
})

describe('what the pod of a backup has stored', () => {
  const said = { checksum: 'a'.repeat(64), size: 9, point: '2026-11-24T10:15:00Z' }
  const base = 'b'.repeat(64)
  const none = { base: undefined, noLaterMoments: undefined, counts: undefined }
  const counts = { tables: 1, rows: 2 }
  const noLaterMoments = 'the server keeps no binary log'
  for (const more of [{}, { base }, { base, counts }, { noLaterMoments }, { noLaterMoments, counts }])
    it(`is read with ${Object.keys(more).join(', ') || 'nothing more'}`, () =>
      expect(storedIn(JSON.stringify({ ...said, ...more }))).to.deep.equal({ ...said, ...none, ...more }))

  it('is nothing where it says anything else', () => {
    for (const text of ['', 'the dump failed', JSON.stringify({ ...said, noLaterMoments: '<b>' })])
      expect(storedIn(text)).to.equal(undefined)
  })
})
