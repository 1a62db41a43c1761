/** Backups of buckets on the object server, over HTTP: switched on, taken, listed, restored, and refused. */
import { expect } from 'chai'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { effectiveStoreSpec } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { provisionIntent } from '../../kinds/provision/state.ts'
import { freeNames } from '../../records/object-stores/restore-store.ts'
import { eventually } from '../cluster/eventually.ts'
import { makeConnection, useDataWorld } from './data-world.ts'
import { writeWholeBackup } from './whole-backup.ts'

const elsewhere = 'backups applies to buckets on the object server of the cluster only'
const byCluster = 'only buckets on the object server of the cluster have backups'

describe('Backups of buckets', () => {
  const world = useDataWorld()

  const create = (change: object) =>
    world.ask('POST', '/object-stores', { project: world.project, environment: 'production', ...change })
  const made = async (change: object): Promise<string> => (await create(change)).body.name
  const madeFar = async () =>
    made({ placement: 'External', connectionRef: await makeConnection(world, world.project, 'AWS') })
  const recordOf = (name: string) => world.record<ObjectStore>('objectStore', name)
  const set = (name: string, change: object) => world.ask('PATCH', `/object-stores/${name}`, change)
  const ref = (name: string) => ({ type: resourceTypes.objectStore, namespace: systemNamespace, name })
  const back = (of: string) => world.ask('POST', `/object-stores/${of}/backup`)
  const restore = (archive: string) => world.ask('POST', '/object-stores/restore', { archive })
  const wasMade = (name: string, more: object = {}) =>
    world.client.patch(
      ref(name),
      { status: { connectionSecret: `${name}-connection`, ...more } },
      { subresource: 'status' },
    )
  const chooseStorage = async (): Promise<void> => {
    const connection = await makeConnection(world, world.project, 'AWS')
    await world.api.ask('POST', `/api/projects/${world.project}/backup-storage`, {
      ...world.cookie,
      form: { connection, bucket: 'kept-there', region: 'eu-central-1' },
    })
  }

  it('POST /object-stores switches them on, on the object server alone', async () => {
    const name = await made({ bucket: 'kept', backups: true, backupRetentionDays: 30 })
    expect((await recordOf(name))?.spec.backups).to.deep.equal({ enabled: true, retentionDays: 30 })
    const without = await made({ bucket: 'not-kept' })
    expect((await recordOf(without))?.spec).not.to.have.property('backups')
    const { status, body } = await create({ placement: 'External', bucket: 'far', backups: true })
    expect([status, body.error]).to.deep.equal([400, elsewhere])
    const days = await create({ bucket: 'other', backupRetentionDays: 0 })
    expect(days.body.error).to.equal('backupRetentionDays must be a whole number from 1 to 3650')
  })

  it('PATCH /object-stores/{name} applies them at once, and leaves what waits for a deploy', async () => {
    const name = await made({ bucket: 'patched', deploy: true })
    await set(name, { bucket: 'patched-later' })
    expect((await set(name, { backups: true })).body).to.deep.equal({ ok: true })
    expect((await set(name, { backupRetentionDays: 3 })).status).to.equal(200)
    const record = await recordOf(name)
    const effective = record === undefined ? undefined : effectiveStoreSpec(record)
    expect(effective?.backups).to.deep.equal({ enabled: true, retentionDays: 3 })
    expect([effective?.buckets, record?.spec.buckets]).to.deep.equal([['patched'], ['patched-later']])
    await set(name, { backups: 'off' })
    expect((await recordOf(name))?.spec.backups).to.deep.equal({ enabled: false, retentionDays: 3 })
    const far = await madeFar()
    expect((await set(far, { backups: true })).body.error).to.equal(elsewhere)
  })

  it('are refused by the cluster itself where kubectl switches them on elsewhere', async () => {
    const far = await madeFar()
    for (const spec of [{ backups: { enabled: true } }, { restoreFrom: { archive: 'some' } }]) {
      const refusal = await world.client.patch(ref(far), { spec }).then(String, ({ message }: Error) => message)
      expect(refusal).to.include(byCluster)
    }
  })

  it('POST /object-stores/{name}/backup takes one; POST /object-stores/restore makes a new bucket of it', async () => {
    const draft = await made({ bucket: 'draft' })
    expect((await back(draft)).body.error).to.equal('deploy the bucket before you back it up')
    const far = await madeFar()
    expect((await back(far)).body.error).to.equal('only buckets on the object server of the cluster are backed up')
    expect((await back('nobody')).status).to.equal(404)
    const name = await made({ bucket: 'taken', deploy: true })
    expect((await back(name)).body.error).to.equal('the bucket was not made yet')
    await wasMade(name)
    expect((await back(name)).body.error).to.equal('choose a backup storage for the project first')
    await chooseStorage()
    const { archive } = (await back(name)).body
    const record = await world.record<BackupArchive>('backupArchive', archive)
    expect(record?.spec).to.deep.include({
      databaseKind: 'ObjectStore',
      database: name,
      databaseUid: (await recordOf(name))?.metadata.uid,
      buckets: ['taken'],
      engine: 'bucket',
      trigger: 'Manual',
      bucket: 'kept-there',
    })
    expect(record?.metadata.annotations?.[annotations.askedBy]).to.match(/^token:/)
    expect((await restore(archive)).body.error).to.equal('backup not found')
    const stored = { checksum: 'a'.repeat(64), firstRestorePoint: '2026-01-31T10:00:00Z', lastRestorePoint: '2026-01-31T10:00:00Z' } // prettier-ignore
    const type = resourceTypes.backupArchive
    await world.client.patch({ type, namespace: systemNamespace, name: archive }, { status: stored }, { subresource: 'status' }) // prettier-ignore
    const list = async () => (await world.ask('GET', `/backup-archives?database=${name}`)).body.items
    await eventually('it is listed', async () => (await list()).length === 1)
    expect((await list())[0]).to.deep.include({ database: name, databaseKind: 'ObjectStore', engine: 'bucket' })
    const seen = await world.ask('GET', `/backup-archives/${archive}`, undefined, world.viewer)
    expect(JSON.stringify(seen.body), 'the name of the bucket').not.to.include('"taken"')
    const restored = await restore(archive)
    expect(restored.body).to.deep.include({ ok: true, kind: 'object-stores', deployed: true })
    expect((await recordOf(restored.body.name))?.spec).to.deep.include({
      project: world.project,
      environment: 'production',
      engine: 'Local',
      placement: 'InCluster',
      buckets: ['taken-2'],
      restoreFrom: { archive },
    })
    const asDatabase = await world.ask('POST', '/databases/restore', { archive })
    expect([asDatabase.status, asDatabase.body.error]).to.deep.equal([
      400,
      'the backup is of a bucket, not of a database',
    ])
  })

  it('POST /object-stores/restore refuses a backup of something else, and one that is not there', async () => {
    const of = (change: object) => writeWholeBackup(world.client, { project: world.project, ...change })
    const rows = [
      [await of({}), 400, 'the backup is of a database, not of a bucket'],
      [await of({ databaseKind: 'LogicalDatabase' }), 400, 'the backup is of a logical database, not of a bucket'],
      ['none', 404, 'backup not found'],
    ] as const
    for (const [archive, status, error] of rows) {
      const answer = await restore(archive)
      expect([answer.status, answer.body.error]).to.deep.equal([status, error])
    }
  })

  it('a restored bucket has the former name where it is free, and never another one that is taken', () => {
    expect(freeNames(['media', 'docs'], ['docs'], 40)).to.deep.equal(['media', 'docs-2'])
    expect(freeNames(['media'], ['media', 'media-2'], 40)).to.deep.equal(['media-3'])
    expect(freeNames(['media', 'media-2'], ['media'], 40)).to.deep.equal(['media-2', 'media-2-2'])
    expect(freeNames(['abcde.fghij'], ['abcde.fghij'], 8)).to.deep.equal(['abcde-2'])
  })

  it('the bucket that has the backups of its project is not backed up into itself', async () => {
    const name = await made({ bucket: 'storage', deploy: true })
    await wasMade(name)
    await world.api.ask('POST', `/api/projects/${world.project}/backup-storage`, {
      ...world.cookie,
      form: { connection: name, bucket: 'storage', region: '' },
    })
    expect((await back(name)).body.error).to.equal('the bucket has the backups of its project, and is not backed up')
  })

  it('GET /object-stores/{name} and GET /object-stores of a ready one say what is wrong with its backups', async () => {
    const name = await made({ bucket: 'unproven', deploy: true })
    const record = await recordOf(name)
    if (record === undefined) throw new Error('no record')
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'ObjectStoreReady',
      message: '',
      lastTransitionTime: new Date().toISOString(),
    }
    const status = { conditions: [ready], observedIntent: provisionIntent(record, record.spec) }
    await wasMade(name, status)
    const databaseUid = record.metadata.uid
    await writeWholeBackup(world.client, { project: world.project, databaseKind: 'ObjectStore', databaseUid })
    const messageOf = async () => (await world.ask('GET', `/object-stores/${name}`)).body.resource.message
    const unproven = 'no restore of its backups was proven yet'
    await eventually('it says so', async () => (await messageOf()) === unproven)
    const { items } = (await world.ask('GET', '/object-stores')).body
    expect(items.find((each: { name: string }) => each.name === name)).to.include({ message: unproven })
  })

  it('DELETE /object-stores/{name} notes on request that it goes without a last backup', async () => {
    const remove = (name: string, more = '') => world.ask('DELETE', `/object-stores/${name}?confirmName=${name}${more}`)
    const notes = async (name: string) => (await recordOf(name))?.metadata.annotations?.[annotations.withoutBackup]
    for (const [more, noted] of [
      ['', false],
      ['&backupFirst=off', true],
    ] as const) {
      const name = await made({ bucket: noted ? 'gone-without' : 'gone-with' })
      await world.client.patch(ref(name), { metadata: { finalizers: ['svc.svc.dev/objectstore'] } })
      expect((await remove(name, more)).body).to.deep.equal({ ok: true })
      expect(await notes(name)).to.equal(noted ? name : undefined)
    }
  })
})
