/** The names of a logical database on its server, as tables. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { databaseNameRefusal } from '../../../kinds/logical-databases/database-name.ts'
import {
  createJobName,
  dropJobName,
  fingerprinted,
  loginSecretName,
  namesOnSharedServer,
} from '../../../kinds/logical-databases/names.ts'

const project = 'proj-0a1b2c3d'
const named = (environment: string, databaseName: string, owner = project) => {
  const parts = { project: owner, environment, databaseName }
  return namesOnSharedServer(parts, createHash('sha256').update(fingerprinted(parts)).digest('hex'))
}

describe('names of logical databases', () => {
  it('are project, environment and name on the shared server, lowercased, with one underscore for whatever else stands there', () => {
    const rows: [string, string, string][] = [
      ['production', 'shop', 'proj_0a1b2c3d_production_shop'],
      ['production', 'Shop', 'proj_0a1b2c3d_production_shop'],
      ['pull-12', 'shop__orders', 'proj_0a1b2c3d_pull_12_shop_orders'],
      ['p', '_', 'proj_0a1b2c3d_p__'],
      ['production', 'a'.repeat(35), `proj_0a1b2c3d_production_${'a'.repeat(35)}`],
    ]
    for (const [environment, databaseName, real] of rows)
      expect(named(environment, databaseName).database).to.equal(real)
    expect(named('production', 'shop', '1st-project').database).to.equal('d1st_project_production_shop')
  })

  it('are shortened with a hash above 60 characters, and still differ', () => {
    const long = named('production', 'a'.repeat(36)).database
    expect(long).to.match(/^proj_0a1b2c3d_production_a{26}_[0-9a-f]{8}$/)
    expect(long.length).to.equal(60)
    expect(named('production', `${'a'.repeat(36)}b`).database).not.to.equal(long)
  })

  it('give each its own login, also where two come to the same name', () => {
    const logins = [named('a-b', 'c'), named('a', 'b_c'), named('a', 'B_c'), named('a-b', 'C')]
    expect(new Set(logins.map(({ username }) => username)).size).to.equal(4)
    expect(new Set(logins.map(({ database }) => database)).size).to.equal(1)
    for (const { username } of logins) expect(username).to.match(/^u_[0-9a-f]{16}$/)
    expect(named('production', 'shop')).to.deep.equal(named('production', 'shop'))
  })

  it('name Jobs and Secrets', () => {
    expect([
      createJobName('calm-otter'),
      loginSecretName('calm-otter'),
      dropJobName('u_0123456789abcdef'),
    ]).to.deep.equal(['calm-otter-create', 'calm-otter-login', 'drop-u-0123456789abcdef'])
  })

  it('are refused in words', () => {
    const pattern = 'databaseName must use letters, digits, and underscores, and not start with a digit'
    const rows: [string, 'postgres' | 'mysql', boolean, string | undefined][] = [
      ['shop', 'postgres', false, undefined],
      ['_Shop_1', 'mysql', true, undefined],
      ['1shop', 'postgres', true, pattern],
      ['my-shop', 'mysql', false, pattern],
      ['shop;drop', 'postgres', false, pattern],
      ['a'.repeat(64), 'postgres', true, undefined],
      ['a'.repeat(64), 'postgres', false, 'databaseName must be at most 63 characters'],
      ['Postgres', 'postgres', false, "databaseName Postgres is the server's own"],
      ['postgres', 'mysql', false, undefined],
      ['sys', 'mysql', false, "databaseName sys is the server's own"],
      ['sys', 'mysql', true, undefined],
    ]
    for (const [name, engine, shared, refusal] of rows)
      expect(databaseNameRefusal(name, engine, shared), name).to.equal(refusal)
  })
})
