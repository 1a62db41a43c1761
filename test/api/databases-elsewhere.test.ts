/** Servers elsewhere over HTTP, on both surfaces: connected, and given another login. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { deployRequestOf } from '../../kinds/provision/deploy-request.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { useDataWorld } from './data-world.ts'

describe('Databases elsewhere', () => {
  const world = useDataWorld()

  after(async () => {
    const query = { namespace: systemNamespace, labelSelector: `${labels.purpose}=external-login` }
    for (const { metadata } of (await world.client.list<KubeObject>(coreTypes.secret, query)).items)
      await world.client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: metadata.name })
  })

  const password = 'of-a-server-elsewhere'
  const wanted = (name: string, more: object = {}) => ({
    project: world.project,
    environment: 'production',
    name,
    host: 'db.example.com',
    username: 'app',
    password,
    ...more,
  })
  const record = async (name: string): Promise<Database> =>
    (await world.record<Database>('database', name)) ?? expect.fail(`no database ${name}`)
  async function loginOf({ spec }: Database): Promise<Record<string, string>> {
    const name = spec.externalPasswordRef?.name ?? ''
    const secret = await world.client.get<KubeObject & { data?: Record<string, string> }>({
      type: coreTypes.secret,
      namespace: systemNamespace,
      name,
    })
    return Object.fromEntries(
      Object.entries(secret?.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
    )
  }

  it('POST /databases/connect saves a deployed database that names its login, with the password nowhere else', async () => {
    const sent = wanted('connected', { engine: 'mysql', port: 3307, databaseName: 'shop', sslMode: 'require' })
    const { body } = await world.ask('POST', '/databases/connect', sent)
    expect(body).to.deep.equal({ ok: true, name: 'connected', kind: 'databases', deployed: true })
    const made = await record('connected')
    expect(made.spec).to.deep.include({
      engine: 'mysql',
      placement: 'External',
      mode: 'Connect',
      externalHost: 'db.example.com',
      externalPort: 3307,
      externalUsername: 'app',
      databaseName: 'shop',
      deploy: { enabled: true },
    })
    expect(deployRequestOf(made)?.actor).to.match(/^token:/)
    expect(made.metadata.annotations).not.to.have.property(annotations.pendingChanges)
    expect(await loginOf(made)).to.deep.equal({ password, server: 'db.example.com:3307', sslmode: 'require' })
    const shown = await world.ask('GET', '/databases/connected')
    expect(shown.body.resource).to.include({ state: 'pending', pendingChanges: 0 })
    expect(JSON.stringify([made, shown.body, world.api.logLines()])).not.to.include(password)
  })

  it('POST /api/databases/connect takes a form, the port of the engine, and a name of two words', async () => {
    const { name: _, ...fields } = wanted('') as Record<string, string>
    const { body } = await world.api.ask('POST', '/api/databases/connect', { ...world.cookie, form: fields })
    const made = await record(body.name)
    expect(body.name).to.match(/^[a-z]+-[a-z]+$/)
    expect(made.spec).to.include({ engine: 'postgres', externalPort: 5432, databaseName: '' })
  })

  it('POST /databases/{name}/login changes what is given, deployed at once, and drops the login before', async () => {
    await world.ask('POST', '/databases/connect', wanted('moved', { sslMode: 'require' }))
    const before = await record('moved')
    const { body } = await world.ask('POST', '/databases/moved/login', { host: '192.0.2.7', password: 'another' })
    expect(body).to.deep.equal({ ok: true })
    const after = await record('moved')
    expect(after.spec).to.include({ externalHost: '192.0.2.7', externalPort: 5432, externalUsername: 'app' })
    expect(await loginOf(after)).to.deep.equal({
      password: 'another',
      server: '192.0.2.7:5432',
      sslmode: 'require',
    })
    expect(await loginOf(before)).to.deep.equal({})
    expect(deployRequestOf(after)?.id).not.to.equal(deployRequestOf(before)?.id)
    expect(after.metadata.annotations).not.to.have.property(annotations.pendingChanges)
  })

  it('refuses what there is not, what is no server elsewhere, a taken name, and a host that is an address of the web', async () => {
    const refusal = async (path: string, fields: object) => (await world.ask('POST', path, fields)).body.error
    expect(await refusal('/databases/nobody/login', { password })).to.equal('database not found')
    const here = await world.create('/databases')
    expect(await refusal(`/databases/${here}/login`, { password })).to.equal(
      'only a connected database has a login that can be changed',
    )
    expect(await refusal('/databases/connect', wanted(here))).to.equal(`the name ${here} is already used`)
    const nowhere = wanted('lost', { environment: 'nowhere' })
    expect(await refusal('/databases/connect', nowhere)).to.equal('the project has no environment nowhere')
    expect(await refusal('/databases/connect', wanted('lost', { host: 'https://db' }))).to.equal(
      'host must be a host name or an IPv4 address',
    )
    expect(await refusal('/databases/connect', { ...wanted('lost'), engine: 'redis' })).to.equal(
      'engine must be postgres or mysql',
    )
    expect(await world.record('database', 'lost')).to.equal(undefined)
  })
})
