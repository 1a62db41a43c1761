/**
 * Connecting a database elsewhere and changing its login, cut between any two writes: a record and the login that it
 * names are whole, and the resync's sweep takes away what no record names.
 */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { ClusterError, noAnswer } from '../../cluster/objects/errors.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { Params } from '../../contract/operations.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Database, DatabaseSpec } from '../../kinds/databases/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { withRequest } from '../../kinds/provision/draft.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { secretPurposes } from '../../kinds/secrets/named-secret.ts'
import { changeLogin, connectDatabase } from '../../records/databases/connect-database.ts'
import { sweepLogins } from '../../records/databases/sweep-logins.ts'
import { mintDeployRequest } from '../../records/store/edit-record.ts'
import { behindStore, createProject, freeNames, type TestRecords, useRecords } from '../harness/records.ts'
import { withoutWorker } from '../harness/worker.ts'
import { dyingAt, plain, points, secretOf, storesOf } from './dying.ts'

describe('an api that dies while it connects a database elsewhere', () => {
  let client: ClusterClient
  let records: TestRecords
  let project: Project

  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    records = await useRecords()
    ;({ client } = records)
    project = await createProject(records)
  })
  after(async () => {
    const { name, uid = '' } = project.metadata
    await records.projects.edit(name, (current) => ({ ...current, metadata: { ...current.metadata, finalizers: [] } }))
    await records.projects.remove(name, uid)
  })

  const needsOf = (own: ClusterClient) => ({
    ...storesOf(own),
    databases: behindStore<Database>(own, resourceTypes.database),
    logicalDatabases: records.logicalDatabases,
    names: freeNames,
    cloudConnection: async () => undefined,
    expandable: () => true,
    canReplicate: async () => false,
    reserveCapacity: async () => undefined,
  })
  const request = () => mintDeployRequest({ actor: 'tester', requestId: 'test' }, new Date())
  const wantedOf = (change: Partial<Params<'databases.connect'>> = {}): Params<'databases.connect'> => ({
    project: project.metadata.name,
    environment: 'production',
    name: `elsewhere-${randomBytes(4).toString('hex')}`,
    engine: 'postgres',
    host: 'one.example.com',
    username: 'app',
    password: 'first',
    ...change,
  })
  const connect = (own: ClusterClient, wanted: Params<'databases.connect'>) =>
    connectDatabase(needsOf(own), wanted, request())
  const login = { host: 'two.example.com', port: 6000, username: 'other', password: 'second' }
  const change = (own: ClusterClient, name: string, wanted: Parameters<typeof changeLogin>[2] = login) =>
    changeLogin(needsOf(own), name, wanted, request())

  /** The current login, as the record and the Secret that it names have it; undefined without a record. */
  async function currentLogin(name: string): Promise<string | undefined> {
    const spec = (await records.databases.readLive(name))?.spec
    if (spec === undefined) return undefined
    const secret = await secretOf(client, spec.externalPasswordRef?.name ?? '')
    const { externalUsername, externalHost, externalPort } = spec
    const given = `${plain(secret?.data?.['password'])} for ${plain(secret?.data?.['server'])}`
    return `${externalUsername} at ${externalHost}:${externalPort}, ${given}`
  }
  async function kept(name: string): Promise<string[]> {
    const labelSelector = `${labels.purpose}=${secretPurposes.externalLogin},${labels.database}=${name}`
    const { items } = await client.list(coreTypes.secret, { namespace: systemNamespace, labelSelector })
    return items.map(({ metadata }) => metadata.name)
  }
  const first = 'app at one.example.com:5432, first for one.example.com:5432'
  const second = 'other at two.example.com:6000, second for two.example.com:6000'
  const sweep = (before: number) => sweepLogins(records, before)
  const later = () => Date.now() + 60_000
  async function forget(name: string): Promise<void> {
    const database = await records.databases.readLive(name)
    if (database !== undefined) await records.databases.remove(name, database.metadata.uid ?? '')
    await sweep(later())
    expect(await kept(name)).to.deep.equal([])
  }

  for (const point of points) {
    it(`connects it whole or not at all ${point.when} write ${point.write}, and the sweep takes away what is left`, async () => {
      const wanted = wantedOf()
      const name = wanted.name ?? ''
      await dyingAt(client, point, (mortal) => connect(mortal, wanted))
      const made = point.write === 2 && point.when === 'after'
      const left = await kept(name)
      // One that was written a moment ago may still be in use.
      await sweep(Date.now() - 60_000)
      expect(await kept(name)).to.deep.equal(left)
      await sweep(later())
      expect([await currentLogin(name), (await kept(name)).length]).to.deep.equal(made ? [first, 1] : [undefined, 0])
      if (!made) await connect(client, wanted)
      expect(await currentLogin(name)).to.equal(first)
      await forget(name)
    })
  }

  for (const point of [...points, { when: 'before', write: 3 } as const, { when: 'after', write: 3 } as const]) {
    it(`has the old login or the new one ${point.when} write ${point.write} of its change, and the next try ends it`, async () => {
      const { name = '' } = wantedOf()
      await connect(client, wantedOf({ name }))
      await dyingAt(client, point, (mortal) => change(mortal, name))
      const changed = point.write > 2 || (point.write === 2 && point.when === 'after')
      expect(await currentLogin(name)).to.equal(changed ? second : first)
      await sweep(later())
      expect([await currentLogin(name), (await kept(name)).length]).to.deep.equal([changed ? second : first, 1])
      await change(client, name)
      expect([await currentLogin(name), (await kept(name)).length]).to.deep.equal([second, 1])
      await forget(name)
    })
  }

  it('keeps the login of a write whose answer is lost, also if another one deploys before it is repeated', async () => {
    const { name = '' } = wantedOf()
    await connect(client, wantedOf({ name }))
    const { resourceVersion = '' } = (await records.databases.readLive(name))?.metadata ?? {}
    let isLost = false
    const losing: ClusterClient = {
      ...client,
      replace: async (type, object, options) => {
        const written = await client.replace(type, object, options)
        if (isLost) return written
        isLost = true
        await records.databases.readLive(name)
        await records.databases.edit(name, (current) => withRequest<DatabaseSpec, Database>(current, request()))
        throw new ClusterError(0, noAnswer.silent, 'the answer is lost')
      },
    }
    await changeLogin(needsOf(losing), name, login, request(), resourceVersion)
    expect([isLost, await currentLogin(name), (await kept(name)).length]).to.deep.equal([true, second, 1])
    await forget(name)
  })

  it('leaves no login of what is refused', async () => {
    const wanted = wantedOf()
    const name = wanted.name ?? ''
    const refusal = (work: Promise<unknown>) => work.then(() => '', String)
    expect(await refusal(connect(client, wantedOf({ name, environment: 'nowhere' })))).to.include('no environment')
    expect(await kept(name)).to.deep.equal([])
    await connect(client, wanted)
    expect(await refusal(connect(client, wanted))).to.equal(`Problem: the name ${name} is already used`)
    expect([await currentLogin(name), (await kept(name)).length]).to.deep.equal([first, 1])
    await forget(name)
  })

  it('keeps what is not given, and moves no login to a server that only the record names', async () => {
    const ca = '-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----'
    const wanted = wantedOf({ port: 6432, sslMode: 'verify-ca', caCertificate: ca })
    const name = wanted.name ?? ''
    await connect(client, wanted)
    await change(client, name, { password: 'third' })
    expect(await currentLogin(name)).to.equal('app at one.example.com:6432, third for one.example.com:6432')
    const named = (await records.databases.readLive(name))?.spec.externalPasswordRef?.name ?? ''
    const { data = {} } = (await secretOf(client, named)) ?? {}
    expect([plain(data['sslmode']), plain(data['ca.crt'])]).to.deep.equal(['verify-ca', ca])
    await records.databases.edit(name, (current) => ({
      ...current,
      spec: { ...current.spec, externalHost: 'other.example.com' },
    }))
    const refusal = await change(client, name, { password: 'fourth' }).then(() => '', String)
    expect(refusal).to.equal(
      'Problem: the login was given for another server than other.example.com:6432; say which host is meant',
    )
    expect(await kept(name)).to.deep.equal([named])
    await forget(name)
  })
})
