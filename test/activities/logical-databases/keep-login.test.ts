/** The name of a logical database is taken by an older one, whether the cache of the worker has that one or not. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { ActivityNeeds } from '../../../activities/context/needs.ts'
import { keepLogin } from '../../../activities/logical-databases/keep-login.ts'
import { type LogicalDatabase, logicalDatabaseSpec } from '../../../kinds/logical-databases/kind.ts'
import { sharedServerNames } from '../../../kinds/logical-databases/shared-servers.ts'
import { apiVersion, systemNamespace } from '../../../kinds/meta/group.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import type { Project } from '../../../kinds/projects/kind.ts'
import { forgetRecords } from '../../harness/forget-records.ts'
import { behindStore, createProject, type TestRecords, useRecords } from '../../harness/records.ts'
import { withoutWorker } from '../../harness/worker.ts'

describe('a logical database of a name that another one has', function () {
  this.timeout(60_000)
  let records: TestRecords
  let project: Project

  before(async () => {
    await withoutWorker()
    records = await useRecords()
    project = await createProject(records)
  })
  after(forgetRecords)

  const create = (environment: string, databaseName: string): Promise<LogicalDatabase> =>
    records.logicalDatabases.create({
      apiVersion,
      kind: resourceTypes.logicalDatabase.kind,
      metadata: { name: `ldb-${randomBytes(4).toString('hex')}`, namespace: systemNamespace },
      spec: logicalDatabaseSpec.parse({
        project: project.metadata.name,
        environment,
        serverRef: sharedServerNames.postgres,
        databaseName,
      }),
    })

  it('is refused by a worker whose cache does not have the other one', async () => {
    const older = await create('a', 'b_c')
    await sleep(1_100) // the cluster tells ages by seconds
    const younger = await create('a-b', 'c')
    const type = resourceTypes.logicalDatabase
    const logicalDatabases = behindStore<LogicalDatabase>(records.client, type, [younger], {
      project: ({ spec }) => [spec.project],
    })
    const needs = { ...records, logicalDatabases } as unknown as ActivityNeeds // all that it uses
    const unmet = await keepLogin(needs)(younger)
    const real = `${project.metadata.name.replaceAll('-', '_')}_a_b_c`
    expect(unmet).to.have.property('message', `the server has a database named ${real} already: ${older.metadata.name}`)
  })
})
