/** The links of a project over HTTP: pull requests, backup storage, git host. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { cloudConnectionSpec } from '../../kinds/cloud-connections/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type Asked, type TestApi } from './test-api.ts'

describe('what a project is linked to', () => {
  let api: TestApi
  let client: ClusterClient
  let token: string
  let observer: string
  let name: string

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
    api = await startTestApi()
    token = await api.token({ role: 'admin' })
    observer = await api.token({ role: 'observer' })
    name = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body.project
    await api.ask('POST', `/api/v1/projects/${name}/environments`, { token, json: { environment: 'staging' } })
  })
  after(async () => {
    await api.stop()
  })

  const form = (path: string, fields: NonNullable<Asked['form']>) =>
    api.ask('POST', `/api/projects/${name}/${path}`, { token, form: fields })
  const json = (path: string, fields: object) =>
    api.ask('POST', `/api/v1/projects/${name}/${path}`, { token, json: fields })
  const spec = async (): Promise<Project['spec'] | undefined> =>
    (await client.get<Project>({ type: resourceTypes.project, namespace: systemNamespace, name }))?.spec

  const shown = async (): Promise<string[]> =>
    (await api.ask('GET', `/api/v1/projects/${name}`, { token })).body.spec.environments

  it('POST /api/projects/{p}/pr-environments/save stores what is given and keeps the rest', async () => {
    expect((await form('pr-environments/save', { enabled: 'on' })).body).to.deep.equal({ ok: true })
    expect((await spec())?.pullRequestEnvironments).to.deep.equal({
      enabled: true,
      baseEnvironment: 'production',
      maxOpen: 5,
    })
    expect((await form('pr-environments/save', { baseEnvironment: 'staging', maxOpen: '25' })).body).to.deep.equal({
      ok: true,
    })
    expect((await spec())?.pullRequestEnvironments).to.deep.equal({
      enabled: true,
      baseEnvironment: 'staging',
      maxOpen: 25,
    })
    expect((await json('pr-environments/save', { enabled: 'off' })).body).to.deep.equal({ ok: true })
    expect((await spec())?.pullRequestEnvironments).to.deep.equal({
      enabled: false,
      baseEnvironment: 'staging',
      maxOpen: 25,
    })
    for (const maxOpen of ['0', '26', 'many'])
      expect((await form('pr-environments/save', { maxOpen })).body).to.deep.equal({
        error: 'maxOpen must be a whole number from 1 to 25',
      })
    expect((await form('pr-environments/save', { baseEnvironment: 'nowhere' })).body).to.deep.equal({
      error: 'the project has no environment nowhere',
    })
  })

  it('POST /api/projects/{p}/pr-environments/close deletes none where none is open', async () => {
    const before = await spec()
    expect((await form('pr-environments/close', { number: '7', repository: 'acme/shop' })).body).to.deep.equal({
      ok: true,
      deleted: 0,
    })
    expect(await spec()).to.deep.equal(before)
    expect((await form('pr-environments/close', { repository: 'acme/shop' })).body).to.deep.equal({
      error: 'number must be the number of a pull request',
    })
    expect((await form('pr-environments/close', { number: '7' })).body).to.deep.equal({
      error: 'repository is required',
    })
  })

  it('POST /api/projects/{p}/pr-environments/close archives the environment, however the repository is written', async () => {
    const commit = 'a'.repeat(40)
    const entry = { repository: 'acme/shop', number: 7, environment: 'pr-7', base: 'production', commit }
    const environments = ['production', 'staging', 'pr-7']
    const ref = { type: resourceTypes.project, namespace: systemNamespace, name }
    await client.patch(ref, { spec: { environments, pullRequests: [entry] } })
    await eventually('the api knows it', async () => (await shown()).includes('pr-7'), 10_000)

    // A list of environments need not name it, and it is nothing to copy.
    const listed = { environments: ['production', 'staging'] }
    expect((await api.ask('PATCH', `/api/v1/projects/${name}`, { token, json: listed })).status).to.equal(200)
    expect((await spec())?.environments).to.have.members(environments)
    expect((await form('pr-environments/save', { baseEnvironment: 'pr-7' })).body.error).to.equal(
      'an environment of a pull request cannot be copied',
    )
    expect((await json('pr-environments/close', { number: 7, repository: 'Acme/Shop' })).body).to.deep.equal({
      ok: true,
      deleted: 0,
    })
    const after = await client.get<Project>(ref)
    expect(after?.spec.environments).to.deep.equal(['production', 'staging'])
    expect(after?.metadata.annotations?.['svc.dev/archived']).to.equal('pr-7')
    expect(after?.spec.pullRequests).to.deep.equal([{ repository: 'acme/shop', number: 7, commit }])
    expect(api.woken).to.include(`pr/${name}/acme/shop/7: closed by hand`)
  })

  it('POST /api/projects/{p}/pr-environments/allow notes the commit of a fork that may be built', async () => {
    const commit = 'b'.repeat(40)
    const allowing = { number: '9', repository: 'Acme/Shop', commit }
    expect((await form('pr-environments/allow', allowing)).body).to.deep.equal({ ok: true })
    expect((await spec())?.pullRequests).to.deep.include({ repository: 'acme/shop', number: 9, allowed: commit })
    expect(api.woken).to.include(`pr/${name}/acme/shop/9: commit bbbbbbb allowed`)
    for (const [wrong, error] of [
      [{ ...allowing, commit: 'bbbbbbb' }, 'commit must be the whole hash of a commit'],
      [{ ...allowing, repository: 'https://github.com/acme/shop' }, 'repository must be owner/name'],
    ] as const)
      expect((await form('pr-environments/allow', wrong)).body).to.deep.equal({ error })
  })

  it("POST /api/projects/{p}/backup-storage takes a bucket through the project's own connection, and clears it", async () => {
    const connection = async (own: string, project: string, provider: 'AWS' | 'PlanetScale') =>
      client.create(resourceTypes.cloudConnection, {
        apiVersion,
        kind: 'SvcCloudConnection',
        metadata: { name: own, namespace: systemNamespace },
        spec: cloudConnectionSpec.parse({ provider, project, secretRef: { name: `${own}-credentials` } }),
      })
    const elsewhere = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body.project
    await Promise.all([
      connection(`${name}-mine`, name, 'AWS'),
      connection(`${name}-ps`, name, 'PlanetScale'),
      connection(`${name}-theirs`, elsewhere, 'AWS'),
    ])
    const wanted = { connection: `${name}-mine`, bucket: 'shop-backups', region: 'eu-central-1' }
    expect((await form('backup-storage', wanted)).body).to.deep.equal({ ok: true })
    expect((await spec())?.backupStorage).to.deep.equal({
      connectionRef: { name: `${name}-mine` },
      bucket: 'shop-backups',
      region: 'eu-central-1',
    })
    const foreign = 'connection must be a cloud connection of this project'
    expect((await form('backup-storage', { ...wanted, connection: `${name}-theirs` })).body).to.deep.equal({
      error: foreign,
    })
    expect((await form('backup-storage', { ...wanted, connection: 'none' })).body).to.deep.equal({ error: foreign })
    expect((await form('backup-storage', { ...wanted, connection: `${name}-ps` })).body).to.deep.equal({
      error: 'backups need a connection of the provider AWS',
    })
    for (const bucket of ['ab', 'UPPER', '10.0.0.1', 'a..b', '-shop', 'x'.repeat(64)])
      expect((await form('backup-storage', { ...wanted, bucket })).body.error, bucket).to.match(
        /^bucket must be a bucket name/,
      )
    expect((await form('backup-storage', {})).body).to.deep.equal({ error: 'connection is required' })
    expect((await form('backup-storage', { connection: `${name}-mine` })).body).to.deep.equal({
      error: 'bucket is required',
    })
    expect((await spec())?.backupStorage?.bucket).to.equal('shop-backups')
    expect((await json('backup-storage', { remove: true })).body).to.deep.equal({ ok: true })
    expect((await spec())?.backupStorage).to.equal(undefined)
  })

  it('POST /api/projects/{p}/githost/install, POST /api/projects/{p}/githost/disconnect and GET /api/projects/{p}/githost/repos are refused in words', async () => {
    const none = 'no git-host app is set up; save one in the platform settings first'
    expect((await form('githost/install', { environment: 'production' })).body).to.deep.equal({ error: none })
    expect((await form('githost/install', { environment: 'nowhere' })).body).to.deep.equal({
      error: 'the project has no environment nowhere',
    })
    expect((await form('githost/disconnect', { environment: 'staging' })).body).to.deep.equal({
      error: 'the environment staging is not connected to a git host',
    })
    const repos = await api.ask('GET', `/api/v1/projects/${name}/githost/repos`, { token: observer })
    expect([repos.status, repos.body]).to.deep.equal([400, { error: none, code: 'invalid_request' }])
    for (const path of [
      'githost/install',
      'githost/disconnect',
      'pr-environments/save',
      'pr-environments/close',
      'pr-environments/allow',
      'backup-storage',
    ])
      expect(
        (
          await api.ask('POST', `/api/v1/projects/proj-00000000/${path}`, {
            token,
            json: { number: 1, repository: 'a/b', commit: 'c'.repeat(40), remove: true },
          })
        ).status,
        path,
      ).to.equal(404)
  })
})
