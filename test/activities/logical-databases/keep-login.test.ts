/**
 * The name of a logical database is taken by an older one, whether the cache of the worker has that one or not, and of
 * two that ask at the same moment one has it.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { ActivityNeeds } from '../../../activities/context/needs.ts'
import { claimName } from '../../../activities/logical-databases/claim-name.ts'
import { keepLogin } from '../../../activities/logical-databases/keep-login.ts'
import { removeLeftovers } from '../../../activities/logical-databases/remove.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { type LogicalDatabase, logicalDatabaseSpec } from '../../../kinds/logical-databases/kind.ts'
import { sharedServerNames } from '../../../kinds/logical-databases/shared-servers.ts'
import { apiVersion, systemNamespace } from '../../../kinds/meta/group.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import type { Project } from '../../../kinds/projects/kind.ts'
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

  describe('made within the same second', () => {
    /** A pass that first listed the records before the other one was made. */
    const listedWithout = (other: LogicalDatabase): ActivityNeeds => {
      const client = Object.create(records.client) as TestRecords['client']
      client.list = async <T extends KubeObject>(...asked: Parameters<TestRecords['client']['list']>) => {
        const listed = await records.client.list<T>(...asked)
        client.list = (...later) => records.client.list(...later)
        return { ...listed, items: listed.items.filter(({ metadata }) => metadata.uid !== other.metadata.uid) }
      }
      return { ...records, client } as unknown as ActivityNeeds // all that it uses
    }
    const needs = () => records as unknown as ActivityNeeds // all that it uses
    const live = async ({ metadata: { name } }: LogicalDatabase) => {
      const found = await records.logicalDatabases.readLive(name)
      if (found === undefined) throw new Error(`${name} is gone`)
      return found
    }

    /** Of the same age and name; the first is the one that has to give way where both wait for a name. */
    async function twins(): Promise<readonly [LogicalDatabase, LogicalDatabase]> {
      for (;;) {
        const database = `db_${randomBytes(4).toString('hex')}`
        const [a, b] = [await create('a', database), await create('a', database)]
        const pair = [a, b].toSorted((x, y) => ((x.metadata.uid ?? '') < (y.metadata.uid ?? '') ? 1 : -1))
        const [first, second] = pair
        if (a.metadata.creationTimestamp === b.metadata.creationTimestamp && first && second) return [first, second]
      }
    }

    it('is the only one of its name, though each of the two saw the other without a name', async () => {
      const [first, second] = await twins()
      expect(await keepLogin(listedWithout(second))(first)).to.equal(undefined)
      // As the second saw it: the status of the first was not written yet.
      const unmet = await keepLogin(listedWithout(first))(second)
      expect(unmet).to.have.property('outcome', 'failing')
      const [has, hasNot] = [await live(first), await live(second)]
      expect(has.status?.database).to.be.a('string')
      expect(hasNot.status?.database).to.equal(undefined)
    })

    it('goes on with its claim where its worker died before its name was written', async () => {
      const [first, second] = await twins()
      expect(await claimName(listedWithout(second), first)).to.equal(undefined)
      expect(await keepLogin(needs())(second)).to.have.property('outcome', 'failing')
      expect(await keepLogin(needs())(first)).to.equal(undefined)
      expect((await live(first)).status?.database).to.be.a('string')
    })

    it('leaves its name to the other when it goes, or is given another', async () => {
      const [first, second] = await twins()
      expect(await claimName(listedWithout(second), first)).to.equal(undefined)
      await records.logicalDatabases.edit(first.metadata.name, (current) => ({
        ...current,
        spec: { ...current.spec, databaseName: `${current.spec.databaseName}_2` },
      }))
      expect(await claimName(needs(), second)).to.have.property('outcome', 'waiting')
      expect(await claimName(needs(), second)).to.equal(undefined)
      await removeLeftovers(needs())(second)
      await records.logicalDatabases.remove(second.metadata.name, second.metadata.uid ?? '')
      const third = await create('a', second.spec.databaseName)
      expect(await keepLogin(needs())(third)).to.equal(undefined)
    })
  })
})
