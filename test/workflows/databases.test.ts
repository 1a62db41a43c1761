/**
 * The lifecycle of a database on simulated nodes: created, changed, repaired and removed. No server process runs;
 * test/one-machine/databases-node has real ones.
 */
import { expect } from 'chai'
import { finalizers } from '../../kinds/meta/annotations.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { TestRecords } from '../harness/records.ts'
import { createDatabase, eventsOf, ownedBy, remove, secretTexts, untilGone, untilState } from './database-world.ts'
import { openWorld } from './service-world.ts'

describe('a database', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project

  before(async () => {
    ;({ records, project } = await openWorld())
  })
  after(async () => {
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
  })

  for (const [engine, port, uri, secrets] of [
    ['postgres', 5432, /^postgresql:\/\/NAME:PASSWORD@HOST:5432\/NAME$/, ['admin', 'connection', 'password']],
    ['mysql', 3306, /^mysql:\/\/NAME:PASSWORD@HOST:3306\/NAME$/, ['admin', 'connection', 'password']],
    ['redis', 6379, /^redis:\/\/:PASSWORD@HOST:6379$/, ['connection', 'password']],
    ['sqlite', 4001, /^http:\/\/NAME:PASSWORD@HOST:4001$/, ['connection', 'password']],
  ] as const) {
    it(`${engine} is made with its Secrets, and goes with all that was made`, async () => {
      const database = await untilState(records, await createDatabase(records, project, { engine }), 'ready')
      const { name } = database.metadata
      const home = homeOf(database.spec)
      const service = engine === 'postgres' ? `${name}-rw` : name
      expect(readyOf(database.status?.conditions)).to.include({
        status: 'True',
        reason: 'DatabaseReady',
        message: 'Database connection is available',
      })
      expect(database.status).to.include({
        host: `${service}.${home}.svc`,
        port,
        connectionSecret: `${name}-connection`,
        targetNamespace: home,
      })
      expect(database.metadata.finalizers).to.deep.equal([finalizers.database])
      const texts = (await secretTexts(records, database, 'connection')) ?? {}
      expect(Object.keys(texts).sort()).to.deep.equal(['database', 'host', 'password', 'port', 'uri', 'username'])
      const { host = '', password = '', uri: address = '' } = texts
      expect(password).to.match(/^[A-Za-z0-9]{32}$/)
      expect(
        address.replaceAll(name.replaceAll('-', '_'), 'NAME').replace(password, 'PASSWORD').replace(host, 'HOST'),
      ).to.match(uri)
      expect(await ownedBy(records, database)).to.deep.equal(
        [
          `PersistentVolumeClaim data-${name}-0`,
          `Pod ${name}-0`,
          ...secrets.map((suffix) => `Secret ${name}-${suffix}`),
          `Service ${service}`,
          `ServiceAccount ${name}`,
          `StatefulSet ${name}`,
        ].sort(),
      )
      await remove(records, database)
      await untilGone(records, database)
      expect(await ownedBy(records, database)).to.deep.equal([])
      expect(await eventsOf(records, database, 'Removing')).to.have.length(1)
    })
  }
})
