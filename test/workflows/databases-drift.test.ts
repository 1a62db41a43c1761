/** An object of a ready database is deleted or breaks: the worker detects the drift, reports it and repairs it. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { eventually } from '../cluster/eventually.ts'
import type { TestRecords } from '../harness/records.ts'
import { useWorker, withoutWorker } from '../harness/worker.ts'
import { createDatabase, remove, retry, secretTexts, untilGone, untilSaid, untilState } from './database-world.ts'
import { openWorld } from './service-world.ts'

const waitMs = 25_000

describe('drift of a database', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project
  let database: Database

  before(async () => {
    ;({ records, project } = await openWorld())
    database = await untilState(records, await createDatabase(records, project), 'ready')
  })
  after(async () => {
    await remove(records, database)
    await untilGone(records, database)
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
  })

  const ref = (type: ResourceType, suffix: string) => ({
    type,
    namespace: homeOf(database.spec),
    name: `${database.metadata.name}${suffix}`,
  })
  const dropped = async (type: ResourceType, suffix: string): Promise<void> => {
    const before = await records.client.get<KubeObject>(ref(type, suffix))
    await records.client.delete(ref(type, suffix), { propagation: 'Background' })
    const isNew = async () => {
      const now = await records.client.get<KubeObject>(ref(type, suffix))
      return now !== undefined && now.metadata.uid !== before?.metadata.uid
    }
    await eventually(`${type.kind} ${suffix} is made again`, isNew, waitMs)
    await untilState(records, database, 'ready')
  }

  for (const suffix of ['connection', 'password', 'admin']) {
    it(`a lost ${suffix} Secret is made again with the passwords that the data knows`, async () => {
      const before = await Promise.all(
        ['connection', 'password', 'admin'].map((each) => secretTexts(records, database, each)),
      )
      await dropped(coreTypes.secret, `-${suffix}`)
      expect(
        await Promise.all(['connection', 'password', 'admin'].map((each) => secretTexts(records, database, each))),
      ).to.deep.equal(before)
    })
  }

  it('a connection Secret that was edited is corrected in the next pass', async () => {
    const before = await secretTexts(records, database, 'connection')
    await records.client.patch(ref(coreTypes.secret, '-connection'), { stringData: { host: 'elsewhere' } })
    await dropped(coreTypes.service, '-rw') // any change that wakes the record
    await eventually(
      'it says the truth',
      async () => (await secretTexts(records, database, 'connection'))?.['host'] === before?.['host'],
      waitMs,
    )
    expect(await secretTexts(records, database, 'connection')).to.deep.equal(before)
  })

  it('a lost Service is made again', () => dropped(coreTypes.service, '-rw'))

  it('a lost StatefulSet is made again', () => dropped(coreTypes.statefulSet, ''))

  it('a server that stops makes it pending, and ready when it is back', async () => {
    await records.client.patch(ref(coreTypes.statefulSet, ''), {
      spec: { template: { metadata: { annotations: { 'svc.dev/start-delay': '4s' } } } },
    })
    await untilSaid(records, database, 'starting', 'ReconcileError')
    await untilState(records, database, 'ready')
  })

  it('when every Secret with its passwords is gone, it says so and touches nothing; a retry repairs it once they are restored', async () => {
    const names = ['-connection', '-password', '-admin']
    const kept = await Promise.all(names.map((suffix) => records.client.get<KubeObject>(ref(coreTypes.secret, suffix))))
    await withoutWorker() // else a worker makes the first deleted Secret again from the others
    for (const suffix of names) await records.client.delete(ref(coreTypes.secret, suffix))
    await useWorker()
    const { name } = database.metadata
    await untilSaid(
      records,
      database,
      `the passwords of this database are gone, and its data still has them: restore the Secret ${name}-password, or delete the database`,
      'ProvisionFailed',
    )
    for (const secret of kept) {
      if (secret === undefined) throw new Error('there was no such Secret')
      const { resourceVersion: _, uid: __, creationTimestamp: ___, managedFields: ____, ...metadata } = secret.metadata
      await records.client.create(coreTypes.secret, { ...secret, metadata })
    }
    await retry(records, database)
    await untilState(records, database, 'ready')
  })
})
