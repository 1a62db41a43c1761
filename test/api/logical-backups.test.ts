/** Backups of logical databases on the shared server, over HTTP: switched on, taken, listed, restored, and refused. */
import { expect } from 'chai'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { eventually } from '../cluster/eventually.ts'
import { provisionIntent } from '../../kinds/provision/state.ts'
import { makeConnection, useDataWorld } from './data-world.ts'
import { writeWholeBackup } from './whole-backup.ts'

const elsewhere =
  'backups applies to logical databases on the shared server only; others are in the backups of their server'

describe('Backups of logical databases', () => {
  const world = useDataWorld()
  let shared: string
  let own: string

  before(async () => {
    shared = (await world.ask('POST', '/databases', { engine: 'postgres' })).body.name
    own = await world.create('/databases')
  })

  const create = (change: object) =>
    world.ask('POST', '/logical-databases', { project: world.project, environment: 'production', ...change })
  const made = async (change: object): Promise<string> => (await create(change)).body.name
  const recordOf = async (name: string) => (await world.record<LogicalDatabase>('logicalDatabase', name))?.spec
  const set = (name: string, change: object) => world.ask('PATCH', `/logical-databases/${name}`, change)
  const ref = (name: string) => ({ type: resourceTypes.logicalDatabase, namespace: systemNamespace, name })

  it('POST /logical-databases switches them on, on the shared server alone', async () => {
    const name = await made({ server: shared, database: 'kept', backups: true, backupRetentionDays: 30 })
    expect((await recordOf(name))?.backups).to.deep.equal({ enabled: true, retentionDays: 30 })
    const without = await made({ server: shared, database: 'not_kept' })
    expect(await recordOf(without)).not.to.have.property('backups')
    const { status, body } = await create({ server: own, database: 'kept', backups: true })
    expect([status, body.error]).to.deep.equal([400, elsewhere])
    const days = await create({ server: shared, database: 'other', backupRetentionDays: 0 })
    expect(days.body.error).to.equal('backupRetentionDays must be a whole number from 1 to 3650')
  })

  it('PATCH /logical-databases/{name} changes one of them and leaves the other, at once', async () => {
    const name = await made({ server: shared, database: 'patched' })
    expect((await set(name, { backups: true })).body).to.deep.equal({ ok: true, applied: 'live', liveChanged: true })
    expect((await set(name, { backupRetentionDays: 3 })).body.liveChanged).to.equal(true)
    expect((await recordOf(name))?.backups).to.deep.equal({ enabled: true, retentionDays: 3 })
    expect((await set(name, { backups: true })).body.liveChanged).to.equal(false)
    expect((await set(name, { backups: 'off' })).body.liveChanged).to.equal(true)
    expect((await recordOf(name))?.backups).to.deep.equal({ enabled: false, retentionDays: 3 })
    const onOwn = await made({ server: own, database: 'patched' })
    expect((await set(onOwn, { backups: true })).body.error).to.equal(elsewhere)
    expect((await set('nobody', { backups: true })).status).to.equal(404)
  })

  it('are refused by the cluster itself, in the same words, where kubectl switches them on', async () => {
    const onOwn = await made({ server: own, database: 'by_kubectl' })
    const edit = world.client.patch(ref(onOwn), { spec: { backups: { enabled: true } } })
    const refusal = await edit.then(String, ({ message }: Error) => message)
    expect(refusal).to.include(elsewhere)
  })

  it('POST /logical-databases/{name}/backup takes one of that database, which is restored as a database', async () => {
    const name = await made({ server: shared, database: 'taken' })
    const back = (of = name) => world.ask('POST', `/logical-databases/${of}/backup`)
    expect((await back()).body.error).to.equal('the logical database was not made yet')
    const onOwn = await made({ server: own, database: 'taken' })
    const inServer = `the logical database is in the backups of its server: back up the database ${own}`
    expect((await back(onOwn)).body.error).to.equal(inServer)
    const status = { connectionSecret: `${name}-connection`, database: 'proj_taken', username: 'u_1' }
    await world.client.patch(ref(name), { status }, { subresource: 'status' })
    expect((await back()).body.error).to.equal('choose a backup storage for the project first')
    const connection = await makeConnection(world, world.project, 'AWS')
    await world.api.ask('POST', `/api/projects/${world.project}/backup-storage`, {
      ...world.cookie,
      form: { connection, bucket: 'kept-there', region: 'eu-central-1' },
    })
    const { archive } = (await back()).body
    const record = await world.record<BackupArchive>('backupArchive', archive)
    expect(record?.spec).to.include({
      databaseKind: 'LogicalDatabase',
      database: name,
      databaseUid: (await world.record<LogicalDatabase>('logicalDatabase', name))?.metadata.uid,
      databaseName: 'proj_taken',
      engine: 'postgres',
      version: '16',
      trigger: 'Manual',
      bucket: 'kept-there',
    })
    expect(record?.metadata.annotations?.[annotations.askedBy]).to.match(/^token:/)
    const shown = await world.ask('GET', `/backup-archives/${archive}`, undefined, world.viewer)
    expect(shown.body).to.include({ database: name, databaseKind: 'LogicalDatabase' })
    const stored = { checksum: 'a'.repeat(64), firstRestorePoint: '2026-01-31T10:00:00Z', lastRestorePoint: '2026-01-31T10:00:00Z' } // prettier-ignore
    const type = resourceTypes.backupArchive
    await world.client.patch({ type, namespace: systemNamespace, name: archive }, { status: stored }, { subresource: 'status' }) // prettier-ignore
    const list = async () => (await world.ask('GET', `/backup-archives?database=${name}`)).body.items
    await eventually('it is listed', async () => (await list()).length === 1)
    const restored = await world.ask('POST', '/databases/restore', { archive })
    expect([restored.status, restored.body.kind]).to.deep.equal([200, 'databases'])
    const database = await world.record<Database>('database', restored.body.name)
    expect(database?.spec).to.deep.include({
      project: world.project,
      environment: 'production',
      engine: 'postgres',
      databaseName: 'proj_taken',
      restoreFrom: { archive, point: '2026-01-31T10:00:00.000Z' },
    })
  })

  it('GET /logical-databases/{name} and GET /logical-databases of a ready one say what is wrong with its backups', async () => {
    const name = await made({ server: shared, database: 'unproven' })
    const record = await world.record<LogicalDatabase>('logicalDatabase', name)
    if (record === undefined) throw new Error('no record')
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'LogicalDatabaseReady',
      message: '',
      lastTransitionTime: new Date().toISOString(),
    }
    const status = { conditions: [ready], observedIntent: provisionIntent(record, record.spec) }
    await world.client.patch(ref(name), { status }, { subresource: 'status' })
    const databaseUid = record.metadata.uid
    await writeWholeBackup(world.client, { project: world.project, databaseKind: 'LogicalDatabase', databaseUid })
    const messageOf = async () => (await world.ask('GET', `/logical-databases/${name}`)).body.resource.message
    const unproven = 'no restore of its backups was proven yet'
    await eventually('it says so', async () => (await messageOf()) === unproven)
    const { items } = (await world.ask('GET', '/logical-databases')).body
    expect(items.find((each: { name: string }) => each.name === name)).to.include({ message: unproven })
  })

  it('DELETE /logical-databases/{name} notes on request that it goes without a last backup', async () => {
    const remove = (name: string, more = '') =>
      world.ask('DELETE', `/logical-databases/${name}?confirmName=${name}${more}`)
    const notes = async (name: string) =>
      (await world.record<LogicalDatabase>('logicalDatabase', name))?.metadata.annotations?.[annotations.withoutBackup]
    for (const [more, noted] of [
      ['', false],
      ['&backupFirst=off', true],
    ] as const) {
      const name = await made({ server: shared, database: noted ? 'gone_without' : 'gone_with' })
      await world.client.patch(ref(name), { metadata: { finalizers: ['svc.svc.dev/logicaldatabase'] } })
      expect((await remove(name, more)).body).to.deep.equal({ ok: true })
      expect(await notes(name)).to.equal(noted ? name : undefined)
    }
  })
})
