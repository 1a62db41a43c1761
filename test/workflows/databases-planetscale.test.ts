/** Databases at PlanetScale, for which a small HTTP server stands in. */
import { randomBytes } from 'node:crypto'
import type { CoreV1Event } from '@kubernetes/client-node'
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { finalizers, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { askDatabaseDeletion } from '../../records/databases/ask-deletion.ts'
import { planetScaleKeys, type PlanetScaleServer, startPlanetScale } from '../harness/planetscale.ts'
import { createProject, type TestRecords, until, useRecords } from '../harness/records.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { createDatabase, ownedBy, remove, secretTexts, untilGone, untilSaid, untilState } from './database-world.ts'
import { untilSetUp } from './service-world.ts'

describe('a database at PlanetScale', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project
  let planetScale: PlanetScaleServer
  let worker: TestWorker
  let connection: string

  before(async () => {
    planetScale = await startPlanetScale()
    records = await useRecords()
    await withoutWorker()
    worker = await startTestWorker({}, 'temporal/main.ts', { SVC_PLANETSCALE_ENDPOINT: planetScale.endpoint })
    project = await createProject(records)
    await untilSetUp(records, project)
    connection = `planet-${randomBytes(4).toString('hex')}`
    const { name } = project.metadata
    const owned = { [labels.managedBy]: managedBySvc, [labels.project]: name }
    const credentials = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${connection}-credentials`, namespace: systemNamespace, labels: owned },
      stringData: planetScaleKeys,
    }
    await records.client.create(coreTypes.secret, credentials)
    await records.client.create(resourceTypes.cloudConnection, {
      apiVersion,
      kind: resourceTypes.cloudConnection.kind,
      metadata: { name: connection, namespace: systemNamespace, labels: owned },
      spec: {
        provider: 'PlanetScale',
        project: name,
        secretRef: { name: `${connection}-credentials` },
        organization: planetScaleKeys.organization,
      },
    } as never) // the spec as the cluster accepts it
  })

  after(async () => {
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
    await until(records.projects, project, (record) => record === undefined, 'gone')
    await worker.stop()
    await planetScale.stop()
  })

  const there = (change: object = {}) => ({
    placement: 'External',
    provider: 'PlanetScale',
    engine: 'mysql',
    connectionRef: { name: connection },
    ...change,
  })

  it('is made with one password, and removed there when it is deleted', async () => {
    const database = await untilState(records, await createDatabase(records, project, there()), 'ready')
    const name = `${database.metadata.name}-${database.metadata.uid?.slice(0, 8)}`
    expect([...planetScale.databases.keys()]).to.deep.equal([name])
    const made = [...(planetScale.databases.get(name)?.passwords.keys() ?? [])]
    expect(made).to.have.length(1)
    const texts = await secretTexts(records, database, 'connection')
    expect(texts).to.include({
      host: 'aws.connect.psdb.cloud',
      port: '3306',
      database: name,
      username: `user-${made[0]}`,
      password: `pscale_pw_${made[0]}`,
    })
    await remove(records, database)
    await untilGone(records, database)
    expect([...planetScale.databases.keys()]).to.deep.equal([])
  })

  it('is made once when the answer to each call is lost', async () => {
    planetScale.dropNext = 'POST'
    const database = await createDatabase(records, project, there())
    await until(records.databases, database, () => planetScale.databases.size === 1, 'made there')
    planetScale.dropNext = 'POST' // the next POST makes the password
    const ready = await untilState(records, database, 'ready')
    expect(planetScale.databases.size).to.equal(1)
    const [only] = planetScale.databases.values()
    const passwords = [...(only?.passwords.keys() ?? [])]
    expect(passwords).to.have.length(1)
    expect((await secretTexts(records, ready, 'connection'))?.['password']).to.equal(`pscale_pw_${passwords[0]}`)
    planetScale.dropNext = 'DELETE'
    await remove(records, ready)
    await untilGone(records, ready)
    expect(planetScale.databases.size).to.equal(0)
  })

  it('that is refused fails with its words, and what does not answer is waited for', async () => {
    planetScale.refuseWith = 403
    const database = await createDatabase(records, project, there())
    await untilSaid(records, database, '403: no', 'ProvisionFailed')
    planetScale.refuseWith = 503
    const second = await createDatabase(records, project, there())
    await untilSaid(records, second, '503: no', 'ReconcileError')
    planetScale.refuseWith = undefined
    await untilState(records, second, 'ready')
    for (const each of [database, second]) await remove(records, each)
    for (const each of [database, second]) await untilGone(records, each)
    expect(planetScale.databases.size).to.equal(0)
  })

  it('whose organization is gone stays Terminating until it is abandoned, and says what stays there', async () => {
    const database = await untilState(records, await createDatabase(records, project, there()), 'ready')
    const { name, uid } = database.metadata
    const isHeld = async () =>
      (await records.databases.readLive(name))?.metadata.finalizers?.includes(finalizers.database)
    planetScale.refuseWith = 403
    try {
      expect(await askDatabaseDeletion(records, database, name)).to.deep.equal([])
      await untilSaid(records, database, '403: no', 'ReconcileError')
      expect(await isHeld()).to.equal(true)
      const stays = await askDatabaseDeletion(records, database, name, { abandon: true })
      const inWords = `database ${name}-${uid?.slice(0, 8)} of organization ${planetScaleKeys.organization} at PlanetScale`
      expect(stays).to.deep.equal([`${inWords}, with its passwords (cloud connection ${connection})`])
      await untilGone(records, database)
      expect(await ownedBy(records, database)).to.deep.equal([])
      expect([...planetScale.databases.keys()], 'it does stay').to.deep.equal([`${name}-${uid?.slice(0, 8)}`])
      const { items } = await records.client.list<CoreV1Event & KubeObject>(coreTypes.event, {
        namespace: systemNamespace,
      })
      const abandoned = items.filter(
        ({ reason, involvedObject }) => reason === 'Abandoned' && involvedObject.uid === uid,
      )
      expect(abandoned.map(({ message }) => message)).to.deep.equal([
        `deleted without asking the cloud; what stays there: ${stays.join(', ')}`,
      ])
    } finally {
      planetScale.refuseWith = undefined
      planetScale.databases.clear()
    }
  })

  it('with another engine than mysql is refused in words', async () => {
    const database = await createDatabase(records, project, there({ engine: 'postgres' }))
    await untilSaid(records, database, 'a database at PlanetScale must be mysql', 'ProvisionFailed')
    await remove(records, database)
    await untilGone(records, database)
  })
})
