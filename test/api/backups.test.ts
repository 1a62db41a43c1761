/** Backups over HTTP: taken, listed once they are whole, restored, deleted, and what is refused. */
import { expect } from 'chai'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { lastArchiveName } from '../../kinds/backup-archives/names.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { deployRequestOf } from '../../kinds/provision/deploy-request.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { makeConnection, useDataWorld } from './data-world.ts'
import { point, writeWholeBackup } from './whole-backup.ts'

describe('Backups', () => {
  const world = useDataWorld()
  let database: string

  before(async () => {
    database = await world.create('/databases', { engine: 'redis', cpu: '10m', memory: '32Mi' })
  })

  const back = async (name = database) => world.ask('POST', `/databases/${name}/backup`)
  const restore = (fields: object) => world.ask('POST', '/databases/restore', fields)
  const whole = async (change: object = {}, stored: object = {}): Promise<string> => {
    const name = await writeWholeBackup(world.client, { project: world.project, ...change }, stored)
    const isListed = async () =>
      (await world.ask('GET', '/backup-archives')).body.items.some((each: { name: string }) => each.name === name)
    await eventually('it is listed', isListed)
    return name
  }

  it('POST /databases/{db}/backup asks for what is missing; GET /backup-archives/{archive} shows one that is not listed yet', async () => {
    expect((await back()).body.error).to.equal('deploy the database before you back it up')
    await world.ask('POST', `/databases/${database}/deploy`)
    expect((await back()).body.error).to.equal('choose a backup storage for the project first')
    const connection = await makeConnection(world, world.project, 'AWS')
    const storage = { connection, bucket: 'kept-there', region: 'eu-central-1' }
    const chosen = await world.api.ask('POST', `/api/projects/${world.project}/backup-storage`, {
      ...world.cookie,
      form: storage,
    })
    expect(chosen.body).to.deep.equal({ ok: true })
    const { status, body } = await back()
    expect([status, Object.keys(body)]).to.deep.equal([200, ['ok', 'archive']])
    const made = await world.record<BackupArchive>('backupArchive', body.archive)
    expect(made?.spec).to.include({ database, engine: 'redis', version: '7', trigger: 'Manual', bucket: 'kept-there' })
    expect(made?.spec.databaseUid).to.equal((await world.record<Database>('database', database))?.metadata.uid)
    const shown = await world.ask('GET', `/backup-archives/${body.archive}`, undefined, world.viewer)
    expect(shown.body).to.include({ name: body.archive, state: 'pending', message: 'waiting for provisioning' })
    expect(shown.body).not.to.have.property('checksum')
    expect((await world.ask('GET', `/backup-archives?database=${database}`)).body).to.deep.equal({ items: [] })
    const first = await world.api.ask('GET', '/api/bootstrap', world.cookie)
    expect(JSON.stringify(first.body.backupArchives)).not.to.include(body.archive)
    expect((await back('nowhere')).status).to.equal(404)
  })

  it('GET /backup-archives lists the whole ones of a project and a database, and bootstrap has them', async () => {
    const name = await whole()
    const { items } = (await world.ask('GET', `/backup-archives?project=${world.project}&database=orders`)).body
    expect(items.find((each: { name: string }) => each.name === name)).to.deep.include({
      database: 'orders',
      engine: 'redis',
      size: 9,
      checksum: 'a'.repeat(64),
      lastRestorePoint: point,
    })
    expect((await world.ask('GET', '/backup-archives?database=none')).body).to.deep.equal({ items: [] })
    const first = await world.api.ask('GET', '/api/bootstrap', world.cookie)
    expect(JSON.stringify(first.body.backupArchives)).to.include(name)
  })

  it('POST /databases/restore makes a deployed database of the same engine, version and size', async () => {
    const name = await whole()
    const { status, body } = await restore({ archive: name })
    expect([status, body.kind, body.deployed]).to.deep.equal([200, 'databases', true])
    const made = await world.record<Database>('database', body.name)
    expect(made?.spec).to.deep.include({
      engine: 'redis',
      version: '7',
      storageSize: '1Gi',
      restoreFrom: { archive: name, point: '2026-01-31T10:00:00.000Z' },
      deploy: { enabled: true },
    })
    expect((await restore({ archive: name, restorePoint: point })).status).to.equal(200)
  })

  it('POST /databases/restore refuses what is not there, not whole, out of its time, or has no place', async () => {
    const name = await whole()
    expect((await restore({})).body.error).to.equal('archive is required')
    expect((await restore({ archive: 'none' })).body).to.deep.equal({ error: 'backup not found', code: 'not_found' })
    const half = (await back()).body.archive
    expect((await restore({ archive: half })).body.code).to.equal('not_found')
    const outside = `restorePoint must be ${point}, the moment of the backup`
    for (const restorePoint of ['2026-01-31T09:59:59Z', '2026-01-31T10:00:01Z'])
      expect((await restore({ archive: name, restorePoint })).body.error).to.equal(outside)
    expect((await restore({ archive: name, restorePoint: 'yesterday' })).body.error).to.equal(
      'restorePoint must be a time such as 2026-01-31T10:00:00Z',
    )
    const elsewhere = await whole({ environment: 'nowhere' })
    expect((await restore({ archive: elsewhere })).body.error).to.match(/no environment|nowhere/)
    const project = await world.record<Project>('project', world.project)
    expect(project?.spec.environments).not.to.include('nowhere')
  })

  it('POST /databases/restore takes any second of the window, and the moment of the backup without one', async () => {
    const stored = { base: 'b'.repeat(64), lastRestorePoint: '2026-01-31T18:00:00Z' }
    const name = await whole({ engine: 'postgres', version: '16' }, stored)
    const rows = [
      [undefined, '2026-01-31T10:00:00.000Z'],
      ['2026-01-31T12:34:56Z', '2026-01-31T12:34:56.000Z'],
      ['2026-01-31T19:00:00+01:00', '2026-01-31T18:00:00.000Z'],
    ] as const
    for (const [restorePoint, wanted] of rows) {
      const { body } = await restore({ archive: name, ...(restorePoint === undefined ? {} : { restorePoint }) })
      const made = await world.record<Database>('database', body.name)
      expect(made?.spec.restoreFrom).to.deep.equal({ archive: name, point: wanted })
    }
    for (const restorePoint of ['2026-01-31T09:59:59Z', '2026-01-31T18:00:01Z'])
      expect((await restore({ archive: name, restorePoint })).body.error).to.equal(
        `restorePoint must lie between ${point} and 2026-01-31T18:00:00Z`,
      )
  })

  it('DELETE /backup-archives/{archive} asks for its name', async () => {
    const name = await whole()
    const wrong = await world.ask('DELETE', `/backup-archives/${name}`, { confirmName: 'another' })
    expect(wrong.status).to.equal(400)
    expect((await world.ask('DELETE', `/backup-archives/${name}`, { confirmName: name })).body).to.deep.equal({
      ok: true,
    })
    expect(await world.record('backupArchive', name)).to.equal(undefined)
    expect((await world.ask('DELETE', '/backup-archives/none', { confirmName: 'none' })).status).to.equal(404)
  })

  it('GET /databases/{name} of one that is ready says that its newest backup failed', async () => {
    const { archive } = (await back()).body
    const owner = await world.record<Database>('database', database)
    const failed = {
      type: 'Ready',
      status: 'False',
      reason: 'ProvisionFailed',
      message: 'the dump of the database failed',
      lastTransitionTime: new Date().toISOString(),
    }
    const ready = { ...failed, status: 'True', reason: 'DatabaseReady', message: '' }
    const { provisionIntent } = await import('../../kinds/provision/state.ts')
    const write = async (type: 'database' | 'backupArchive', name: string, status: object) =>
      world.client.patch(
        { type: resourceTypes[type], namespace: systemNamespace, name },
        { status },
        {
          subresource: 'status',
        },
      )
    const made = await world.record<BackupArchive>('backupArchive', archive)
    await write('database', database, {
      conditions: [ready],
      observedIntent: provisionIntent(owner as Database, (owner as Database).spec),
    })
    await write('backupArchive', archive, {
      conditions: [failed],
      observedIntent: provisionIntent(made as BackupArchive, (made as BackupArchive).spec),
    })
    const isSaid = async () =>
      (await world.ask('GET', `/databases/${database}`)).body.resource.message ===
      'the newest backup failed: the dump of the database failed'
    await eventually('it says so', isSaid)
  })

  it('DELETE /databases/{name} again takes another last backup for one that failed, with backupFirst off none', async () => {
    const name = await world.create('/databases', { engine: 'redis', cpu: '10m', memory: '32Mi' })
    const ref = { type: resourceTypes.database, namespace: systemNamespace, name }
    await world.client.patch(ref, { metadata: { finalizers: ['example.com/held'] } })
    const remove = async (query = '') => world.ask('DELETE', `/databases/${name}?confirmName=${name}${query}`)
    expect((await remove('&backupFirst=perhaps')).body.error).to.equal('backupFirst must be on or off')
    expect((await remove()).body).to.deep.equal({ ok: true })
    const held = await world.record<Database>('database', name)
    expect(held?.metadata.annotations).not.to.have.property(annotations.withoutBackup)
    const last = lastArchiveName(name, held?.metadata.uid ?? '')
    const archive = { type: resourceTypes.backupArchive, namespace: systemNamespace, name: last }
    const { spec, apiVersion, kind } = (await world.record<BackupArchive>(
      'backupArchive',
      await whole(),
    )) as BackupArchive
    await world.client.create(archive.type, {
      apiVersion,
      kind,
      metadata: { name: last, namespace: systemNamespace },
      spec,
    })
    expect((await remove()).status, 'one that is on its way is left alone').to.equal(200)
    expect(await world.record('backupArchive', last)).not.to.equal(undefined)
    const conditions = [
      {
        type: 'Ready',
        status: 'False',
        reason: 'ProvisionFailed',
        message: 'the dump of the database failed',
        lastTransitionTime: new Date().toISOString(),
      },
    ]
    await world.client.patch(archive, { status: { conditions } }, { subresource: 'status' })
    expect((await remove()).status).to.equal(200)
    expect(await world.record('backupArchive', last)).to.equal(undefined)
    expect((await remove('&backupFirst=off')).body).to.deep.equal({ ok: true })
    const noted = await world.record<Database>('database', name)
    expect(noted?.metadata.annotations).to.include({ [annotations.withoutBackup]: name })
    await world.client.patch(ref, { metadata: { finalizers: [] } })
  })

  it('POST /databases/{name}/deploy with backupFirst off goes into the request that the record keeps', async () => {
    const name = await world.create('/databases', { engine: 'redis', cpu: '10m', memory: '32Mi' })
    const asked = async (fields: object) => {
      expect((await world.ask('POST', `/databases/${name}/deploy`, fields)).body).to.deep.equal({ ok: true })
      return deployRequestOf((await world.record<Database>('database', name)) as Database)?.withoutBackup
    }
    expect([await asked({}), await asked({ backupFirst: 'off' })]).to.deep.equal([undefined, true])
  })
})
