/** The numbers of what is wrong with records, which the alert rules go by. */
import { expect } from 'chai'
import { Registry } from 'prom-client'
import type { Caches } from '../../api/context/caches.ts'
import { measureRecords } from '../../api/probes/record-health.ts'
import { type App, appSpec } from '../../kinds/apps/kind.ts'
import { type BackupArchive, backupArchiveSpec } from '../../kinds/backup-archives/kind.ts'
import { effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import { type Database, databaseSpec } from '../../kinds/databases/kind.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { apiVersion } from '../../kinds/meta/group.ts'
import { provisionIntent } from '../../kinds/provision/state.ts'

const now = Date.parse('2026-06-15T12:00:00Z')
const minute = 60
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString()
const place = { project: 'proj-12345678', environment: 'production' }

describe('the numbers of the records', () => {
  async function numbers(held: Partial<Record<'apps' | 'databases' | 'backupArchives', readonly object[]>>) {
    const caches = new Proxy({}, { get: (_, name) => ({ list: () => held[name as keyof typeof held] ?? [] }) })
    const registry = new Registry()
    measureRecords(registry, caches as Caches, () => now)
    const metrics = await registry.getMetricsAsJSON()
    return Object.fromEntries(
      metrics.flatMap(({ name, values }) =>
        values.map(({ labels, value }) => [[name, ...Object.values(labels)].join(' '), value] as const),
      ),
    )
  }
  function app(since: number, phase: 'Running' | 'Deployed'): App {
    const attempt = { record: 'web-1', operation: 'deploy', actor: 'x', requestId: '', title: 'x', at: ago(since) }
    return {
      apiVersion,
      kind: 'SvcApp',
      metadata: { name: 'web', uid: 'u', annotations: { [annotations.attempt]: JSON.stringify(attempt) } },
      spec: appSpec.parse({ ...place, source: { image: { image: 'x' } }, deploy: { enabled: true } }),
      status: { lastAttempt: { id: 'web-1', phase, summary: '' } },
    } as App // what the numbers read of it
  }
  function database(message: string | undefined, since = 20 * minute): Database {
    const request = { id: 'a', actor: 'x', requestId: '', at: ago(since) }
    const metadata = { name: 'db', uid: 'd', annotations: { [annotations.attempt]: JSON.stringify(request) } }
    const made: Database = {
      apiVersion,
      kind: 'SvcDatabase',
      metadata,
      spec: databaseSpec.parse({ ...place, engine: 'redis', deploy: { enabled: true } }),
    }
    const intent = provisionIntent(made, effectiveDatabaseSpec(made))
    const ready = { type: 'Ready', lastTransitionTime: ago(0) }
    const condition =
      message === undefined
        ? { ...ready, status: 'True' as const, reason: 'DatabaseReady', message: '' }
        : { ...ready, status: 'False' as const, reason: 'ReconcileError', message }
    const worked = message === undefined ? { observedIntent: intent } : { acceptedIntent: intent }
    return { ...made, status: { ...worked, conditions: [condition] } }
  }

  it('are 0 where nothing is wrong', async () => {
    const found = await numbers({ apps: [app(90 * minute, 'Deployed')], databases: [database(undefined)] })
    expect(Object.keys(found)).to.have.length(9)
    expect([...new Set(Object.values(found))]).to.deep.equal([0])
  })

  it('say how old the oldest deploy of each kind is that goes on', async () => {
    const found = await numbers({
      apps: [app(90 * minute, 'Running'), app(10 * minute, 'Running')],
      databases: [database('starting')],
    })
    expect(found).to.include({
      'svc_oldest_attempt_seconds apps': 90 * minute,
      'svc_oldest_attempt_seconds databases': 20 * minute,
      'svc_oldest_attempt_seconds object-stores': 0,
    })
  })

  it('say how many wait for quota', async () => {
    const message =
      'the quota of the environment is used up: pods=1 of pods=1, and this asks for pods=1; remove something'
    expect(await numbers({ databases: [database(message), database(undefined)] })).to.include({
      'svc_records_out_of_quota databases': 1,
      'svc_records_out_of_quota apps': 0,
    })
  })

  it('say how many databases have backups that were not proven in time', async () => {
    const archive: BackupArchive = {
      apiVersion,
      kind: 'SvcBackupArchive',
      metadata: { name: 'b', creationTimestamp: ago(3 * 24 * 60 * minute) },
      spec: backupArchiveSpec.parse({
        ...place,
        database: 'db',
        databaseUid: 'd',
        engine: 'redis',
        connectionRef: { name: 'x' },
        bucket: 'kept',
      }),
      status: { checksum: 'a', lastRestorePoint: ago(3 * 24 * 60 * minute) },
    }
    const found = await numbers({ databases: [database(undefined)], backupArchives: [archive] })
    expect(found['svc_databases_bad_backups']).to.equal(1)
  })
})
