/**
 * A database server keeps running the image that the tag of its version meant when it was made; a moved tag changes
 * nothing.
 */
import { expect } from 'chai'
import { databaseState } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { createProject, type TestRecords, until, useRecords } from '../harness/records.ts'
import { startRegistry, type TestRegistry } from '../harness/registry.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { createDatabase, edit, liveSet, remove, untilGone, untilState } from './database-world.ts'
import { untilSetUp } from './service-world.ts'

describe('the image of a database', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project
  let worker: TestWorker
  let mirror: TestRegistry

  before(async () => {
    records = await useRecords()
    mirror = await startRegistry()
    await withoutWorker()
    worker = await startTestWorker({}, 'temporal/main.ts', {
      SVC_IMAGE_DIGESTS: 'on',
      SVC_REGISTRY_MIRROR: `http://${mirror.address}`,
    })
    project = await createProject(records)
    await untilSetUp(records, project)
  })
  after(async () => {
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
    await worker.stop('SIGKILL')
    await mirror.stop()
  })

  const runs = async (database: Database) =>
    (await liveSet(records, database))?.spec?.template.spec?.containers[0]?.image
  /** Edits the spec and waits until the new intent is reconciled. */
  const change = async (database: Database, spec: object) => {
    const before = (await records.databases.readLive(database.metadata.name))?.status?.observedIntent
    await edit(records, database, spec)
    await until(
      records.databases,
      database,
      (record) =>
        record !== undefined && record.status?.observedIntent !== before && databaseState(record).state === 'ready',
      'worked off',
    )
  }

  it('is frozen when its server is made, survives a moved tag, and changes with its version', async () => {
    const first = await mirror.push('library/postgres', '16.2', 'first')
    const next = await mirror.push('library/postgres', '16.4', 'next')
    const database = await untilState(records, await createDatabase(records, project, { version: '16.2' }), 'ready')
    expect(await runs(database)).to.equal(`postgres:16.2@${first}`)

    await mirror.push('library/postgres', '16.2', 'moved')
    await change(database, { resources: { requests: { cpu: '300m', memory: '600Mi' } } })
    expect(await runs(database)).to.equal(`postgres:16.2@${first}`)

    await change(database, { version: '16.4' })
    expect(await runs(database)).to.equal(`postgres:16.4@${next}`)
    await remove(records, database)
    await untilGone(records, database)
  })
})
