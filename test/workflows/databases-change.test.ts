/**
 * Edits of a running database: svc rolls its server, grows its volume, or refuses the edit and leaves the server
 * running.
 */
import { expect } from 'chai'
import type { V1StorageClass } from '@kubernetes/client-node'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { databaseState } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { eventually } from '../cluster/eventually.ts'
import { type TestRecords, until } from '../harness/records.ts'
import {
  createDatabase,
  edit,
  liveSet,
  liveVolume,
  remove,
  retry,
  secretTexts,
  untilGone,
  untilSaid,
  untilState,
} from './database-world.ts'
import { openWorld } from './service-world.ts'

const waitMs = 25_000

describe('an edit of a database', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project
  let database: Database

  before(async () => {
    ;({ records, project } = await openWorld())
  })
  beforeEach(async () => {
    database = await untilState(records, await createDatabase(records, project, { version: '16.2' }), 'ready')
  })
  afterEach(async () => {
    await remove(records, database)
    await untilGone(records, database)
  })
  after(async () => {
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
  })

  const worked = (record: Database | undefined, before: string | undefined): boolean =>
    record !== undefined && databaseState(record).state === 'ready' && record.status?.observedIntent !== before

  it('of version, cpu and memory rolls its server, and keeps its passwords', async () => {
    const before = await secretTexts(records, database, 'connection')
    await edit(records, database, { version: '16.4', resources: { requests: { cpu: '300m', memory: '600Mi' } } })
    await until(records.databases, database, (record) => worked(record, database.status?.observedIntent), 'worked off')
    const container = (await liveSet(records, database))?.spec?.template.spec?.containers[0]
    expect(container).to.deep.include({
      image: 'postgres:16.4',
      resources: { requests: { cpu: '300m', memory: '600Mi' }, limits: { cpu: '300m', memory: '600Mi' } },
    })
    const pod = await records.client.get<{
      apiVersion: string
      kind: string
      metadata: { name: string }
      spec: { containers: { image: string }[] }
    }>({
      type: coreTypes.pod,
      namespace: homeOf(database.spec),
      name: `${database.metadata.name}-0`,
    })
    expect(pod?.spec.containers[0]?.image, 'ready only once the new one runs').to.equal('postgres:16.4')
    expect((await liveVolume(records, database))?.metadata.annotations?.[annotations.dataVersion]).to.equal('16.4')
    expect(await secretTexts(records, database, 'connection')).to.deep.equal(before)
  })

  it('of the backup settings is accepted without touching the server', async () => {
    const before = await liveSet(records, database)
    await edit(records, database, { backups: { enabled: true, retentionDays: 3 } })
    await until(records.databases, database, (record) => worked(record, database.status?.observedIntent), 'worked off')
    expect((await liveSet(records, database))?.metadata.generation).to.equal(before?.metadata.generation)
  })

  it('to another major version of postgres is refused in words, and what runs goes on; taken back it is ready', async () => {
    await edit(records, database, { version: '17' })
    await untilSaid(
      records,
      database,
      'postgres 17 cannot open the data of postgres 16.2; create a new database and move the data',
      'ProvisionFailed',
    )
    expect((await liveSet(records, database))?.spec?.template.spec?.containers[0]?.image).to.equal('postgres:16.2')
    await edit(records, database, { version: '16.2' })
    await untilState(records, database, 'ready')
  })

  it('to a smaller volume is refused in words', async () => {
    await edit(records, database, { storageSize: '1Gi' })
    const failed = await untilSaid(
      records,
      database,
      'storageSize cannot shrink; the database has 10Gi',
      'ProvisionFailed',
    )
    expect(databaseState(failed).state).to.equal('failed')
    expect((await liveVolume(records, database))?.spec?.resources?.requests).to.deep.equal({ storage: '10Gi' })
  })

  it('to a larger volume waits for it where the class can grow, and is refused where it cannot', async () => {
    await edit(records, database, { storageSize: '20Gi' })
    await untilSaid(
      records,
      database,
      'this cluster cannot enlarge volumes; the database keeps its 10Gi',
      'ProvisionFailed',
    )
    const { client } = records
    const { items } = await client.list<Sent<V1StorageClass>>(coreTypes.storageClass)
    const name = items[0]?.metadata.name ?? ''
    await client.patch({ type: coreTypes.storageClass, name }, { allowVolumeExpansion: true })
    try {
      await retry(records, database)
      await untilSaid(records, database, 'volume being enlarged', 'ReconcileError')
      const volume = await liveVolume(records, database)
      expect(volume?.spec?.resources?.requests).to.deep.equal({ storage: '20Gi' })
      // No controller enlarges simulated volumes: the test writes the status that one would write.
      const ref = {
        type: coreTypes.persistentVolumeClaim,
        namespace: homeOf(database.spec),
        name: volume?.metadata.name ?? '',
      }
      await client.patch(ref, { status: { capacity: { storage: '20Gi' } } }, { subresource: 'status' })
      await untilState(records, database, 'ready')
    } finally {
      await client.patch({ type: coreTypes.storageClass, name }, { allowVolumeExpansion: false })
    }
  })

  it('while an earlier one goes on is the one that counts', async () => {
    await edit(records, database, { version: '16-crash' })
    await until(
      records.databases,
      database,
      (record) => record?.status?.conditions?.[0]?.message.includes('keeps exiting') === true,
      'crashing',
    )
    await edit(records, database, { version: '16.3' })
    await untilState(records, database, 'ready')
    expect((await liveSet(records, database))?.spec?.template.spec?.containers[0]?.image).to.equal('postgres:16.3')
  })

  it('that moves it to another place is refused by the cluster', async () => {
    const refused = async (change: object) =>
      edit(records, database, change).then(
        () => 'taken',
        (error: unknown) => String(error),
      )
    expect(await refused({ placement: 'External' })).to.include('a deployed database stays where it is')
    expect(await refused({ environment: 'elsewhere' })).to.include(
      'a deployed database cannot move to another project or environment',
    )
    expect(await refused({ databaseName: 'other' })).to.include(
      'the first database of a deployed server keeps its name',
    )
    expect(await refused({ engine: 'mysql' })).to.include('the engine of a deployed database cannot change')
  })

  it('whose node tags ask for other nodes rolls its server onto them, and says when there is none', async () => {
    await edit(records, database, { runOn: { tags: ['ssd'] } })
    await until(
      records.databases,
      database,
      (record) => record?.status?.conditions?.[0]?.message.startsWith('no node has capacity for a copy') === true,
      'no capacity',
    )
    expect((await liveSet(records, database))?.spec?.template.spec?.nodeSelector).to.deep.equal({
      'svc.dev/tag-ssd': 'true',
    })
    await edit(records, database, { runOn: { tags: [] } })
    await untilState(records, database, 'ready')
    await eventually(
      'its pod runs anywhere',
      async () => (await liveSet(records, database))?.spec?.template.spec?.nodeSelector === undefined,
      waitMs,
    )
  })
})
