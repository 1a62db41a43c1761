/** The names of a database's objects on the cluster, and the image it runs, as a table. */
import { expect } from 'chai'
import { databaseImage } from '../../../kinds/databases/image.ts'
import {
  adminSecretName,
  enginePorts,
  firstDatabase,
  firstLogin,
  passwordSecretName,
  serverHost,
  volumeName,
} from '../../../kinds/databases/names.ts'
import { administrators } from '../../../kinds/sql-engines.ts'

const home = { project: 'proj-00000001', environment: 'production' }
const spec = { ...home, databaseName: '', version: '' }

describe('What a database is called', () => {
  for (const [engine, host, port, database, login, image] of [
    ['postgres', 'calm-otter-rw.proj-00000001-production.svc', 5432, 'calm_otter', 'calm_otter', 'postgres:16'],
    ['mysql', 'calm-otter.proj-00000001-production.svc', 3306, 'calm_otter', 'calm_otter', 'mysql:8.4'],
    ['redis', 'calm-otter.proj-00000001-production.svc', 6379, '0', 'default', 'redis:7'],
    ['sqlite', 'calm-otter.proj-00000001-production.svc', 4001, '', 'calm_otter', 'rqlite/rqlite:8.36.0'],
  ] as const) {
    it(`${engine} answers at its own host and port, with a login and a database named after it`, () => {
      expect(serverHost('calm-otter', { ...spec, engine })).to.equal(host)
      expect(enginePorts[engine]).to.equal(port)
      expect(firstDatabase('calm-otter', { ...spec, engine })).to.equal(database)
      expect(firstLogin('calm-otter', { engine })).to.equal(login)
      expect(databaseImage({ ...spec, engine })).to.equal(image)
    })
  }

  it('the shared server lives in svc-system', () => {
    expect(serverHost('shared-postgres', { engine: 'postgres', project: '', environment: '' })).to.equal(
      'shared-postgres-rw.svc-system.svc',
    )
  })

  it('a name that begins with a digit or is long makes a login that every engine takes', () => {
    expect(firstLogin('9-lives', { engine: 'mysql' })).to.equal('d9_lives')
    expect(firstLogin('a'.repeat(50), { engine: 'mysql' }).length).to.equal(32)
  })

  it('the record may name the first database and the version', () => {
    expect(firstDatabase('calm-otter', { engine: 'postgres', databaseName: 'orders' })).to.equal('orders')
    expect(databaseImage({ engine: 'postgres', version: '17.2' })).to.equal('postgres:17.2')
  })

  it('its Secrets and its volume are named after it', () => {
    expect([adminSecretName, passwordSecretName, volumeName].map((nameOf) => nameOf('calm-otter'))).to.deep.equal([
      'calm-otter-admin',
      'calm-otter-password',
      'data-calm-otter-0',
    ])
    expect(administrators).to.deep.equal({ postgres: 'postgres', mysql: 'root' })
  })
})
