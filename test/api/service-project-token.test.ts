/** The operations on services that project tokens may call, on both surfaces. */
import { expect } from 'chai'
import { startTestApi, type TestApi } from './test-api.ts'

describe('Project tokens and services', () => {
  let api: TestApi
  let admin: string
  let scoped: string
  let project: string
  let own: string
  let foreign: string

  before(async function () {
    this.timeout(60_000)
    api = await startTestApi()
    admin = await api.token({ name: 'admin', role: 'admin' })
    const ask = async (path: string, json: object = {}) =>
      (await api.ask('POST', `/api/v1${path}`, { token: admin, json })).body
    project = (await ask('/projects')).project
    await ask(`/projects/${project}/environments`, { environment: 'staging' })
    own = (await ask('/apps', { project, environment: 'production', image: 'svc/hello:1' })).name
    foreign = (await ask('/apps', { project, environment: 'staging', image: 'svc/hello:1' })).name
    scoped = await api.token({ name: 'ci', scope: 'project', project, environment: 'production' })
  })
  after(async () => {
    await api.stop()
  })

  const v1 = (method: string, path: string, json?: object) =>
    api.ask(method, `/api/v1/apps/${path}`, { token: scoped, ...(json === undefined ? {} : { json }) })
  const form = (path: string, fields: Record<string, string> = {}) =>
    api.ask('POST', `/api/apps/${path}`, { token: scoped, form: fields })

  const writes = [
    'deploy',
    'scale',
    'rollback',
    'build',
    'build/cancel',
    'retry-provision',
    'config/set',
    'config/delete',
    'secrets/set',
    'secrets/delete',
  ]
  const fields = { replicas: '1', revision: 'none', key: 'A', value: '1' }
  const reads = ['logs', 'runtime', 'variables', 'metrics', 'deployments/none/logs']

  it('a service of another environment is `app not found` on both surfaces, like one that is not there', async () => {
    for (const name of [foreign, 'nothing-here']) {
      const answers = [
        ['GET', await v1('GET', name)],
        ['status', await v1('GET', `${name}/status`)],
        ['deployments', await v1('GET', `${name}/deployments`)],
        ['PATCH', await v1('PATCH', name, { port: 1 })],
        ['update', await form(`${name}/update`, { port: '1' })],
        ['config/raw', await form(`${name}/config/raw`, { config: 'A=1' })],
        ['env/delete', await form(`${name}/env/delete`, { name: 'A' })],
      ] as const
      for (const [what, { status, body }] of answers)
        expect([status, body.error], `${what} ${name}`).to.deep.equal([404, 'app not found'])
      // Whatever the fields are: without a required one it is 400 for a service that is seen.
      for (const path of writes) {
        for (const { status, body } of [
          await v1('POST', `${name}/${path}`, fields),
          await v1('POST', `${name}/${path}`, {}),
          await form(`${name}/${path}`, fields),
          await form(`${name}/${path}`),
        ])
          expect([status, body.error], `${path} ${name}`).to.deep.equal([404, 'app not found'])
      }
      for (const path of reads) {
        for (const { status, body } of [
          await v1('GET', `${name}/${path}`),
          await api.ask('GET', `/api/apps/${name}/${path}`, { token: scoped }),
        ])
          expect([status, body.error], `${path} ${name}`).to.deep.equal([404, 'app not found'])
      }
    }
  })

  it('GET /apps shows its own environment only, and names no other', async () => {
    const { body, text } = await api.ask('GET', '/api/v1/apps', { token: scoped })
    expect(body.items.map(({ name }: { name: string }) => name)).to.deep.equal([own])
    expect(text).not.to.include(foreign)
  })

  it('project and environment in a body may name its own, and no other, whatever the route', async () => {
    const limited = [403, 'this token is limited to another project or environment']
    for (const other of [
      { project: 'proj-ffffffff' },
      { environment: 'staging' },
      { project, environment: 'staging' },
    ]) {
      for (const { status, body } of [
        await v1('PATCH', own, other),
        await form(`${own}/update`, other),
        await form(`${own}/deploy`, other),
      ])
        expect([status, body.error], JSON.stringify(other)).to.deep.equal(limited)
    }
    for (const { status, text } of [
      await v1('PATCH', own, { project, environment: 'production', port: 81 }),
      await form(`${own}/update`, { project, port: '82' }),
    ])
      expect(status, text).to.equal(200)
  })

  it('GET /apps/{name}/logs ignores the query fields environment and service', async () => {
    const { status, text } = await v1('GET', `${own}/logs?environment=staging&service=${foreign}`)
    expect(status, text).to.equal(200)
  })

  it('runOnTags is refused to every token, and nothing of the request is saved', async () => {
    const refusal = [403, 'runOnTags can be set by a signed-in admin only, not with a token']
    for (const token of [scoped, admin]) {
      for (const { status, body } of [
        await api.ask('PATCH', `/api/v1/apps/${own}`, { token, json: { runOnTags: ['gpu'], port: 4444 } }),
        await api.ask('POST', `/api/apps/${own}/update`, { token, form: { runOnTags: 'gpu', port: '4444' } }),
      ])
        expect([status, body.error]).to.deep.equal(refusal)
    }
    expect((await v1('GET', own)).body.spec.port).to.not.equal(4444)
  })

  it('runAsRoot is refused to it, and nothing of the request is saved; an admin token may set it', async () => {
    const asked = { runAsRoot: true, port: 4445 }
    const { status, body } = await api.ask('PATCH', `/api/v1/apps/${own}`, { token: scoped, json: asked })
    const refusal = [403, 'runAsRoot can be set by an admin only, not with a project token']
    expect([status, body.error]).to.deep.equal(refusal)
    expect((await v1('GET', own)).body.spec).to.not.deep.include(asked)
    const saved = await api.ask('PATCH', `/api/v1/apps/${own}`, { token: admin, json: { runAsRoot: true } })
    expect(saved.status, saved.text).to.equal(200)
    expect((await v1('GET', own)).body.spec.runAsRoot).to.equal(true)
    await api.ask('PATCH', `/api/v1/apps/${own}`, { token: admin, json: { runAsRoot: false } })
  })

  it('the routes that are not in its list are closed: creating, deleting, naming, attaching', async () => {
    const closed = [403, 'this token cannot access that endpoint']
    const answers = [
      await api.ask('POST', '/api/v1/apps', { token: scoped, json: { project, environment: 'production' } }),
      await api.ask('DELETE', `/api/v1/apps/${own}?confirmName=${own}`, { token: scoped }),
      await form('create', { project, environment: 'production' }),
      ...(await Promise.all(
        ['delete', 'display-name', 'attach', 'networking/delete', 'shared-variables/save'].map((path) =>
          form(`${own}/${path}`),
        ),
      )),
    ]
    for (const { status, body } of answers) expect([status, body.error]).to.deep.equal(closed)
  })

  it('a dashboard route takes nothing but forms from it', async () => {
    const { status, body } = await api.ask('POST', `/api/apps/${own}/scale`, { token: scoped, json: { replicas: 1 } })
    expect([status, body]).to.deep.equal([415, { error: 'send form-encoded data' }])
  })

  it('may not have another repository read with the login of its own', async () => {
    const made = async (more: object) => {
      const json = { project, environment: 'production', source: 'git', ...more }
      const { status, body } = await api.ask('POST', '/api/v1/apps', { token: admin, json })
      expect(status, JSON.stringify(body)).to.equal(200)
      return body.name as string
    }
    const repository = 'https://git.example.test/team/web.git'
    const withLogin = await made({ repository, connectionRef: 'team-login' })
    const open = await made({ repository })
    const elsewhere = 'https://elsewhere.example.test/team/web.git'
    const refused = 'the repository is read with a login: another one can be chosen by an admin only, not with a project token' // prettier-ignore
    for (const { status, body } of [
      await v1('PATCH', withLogin, { repository: elsewhere }),
      await v1('PATCH', withLogin, { repository: elsewhere, deploy: true }),
      await v1('PATCH', withLogin, { repository: 'team/web' }),
      await v1('PATCH', withLogin, { repository: 'https://git.example.test:8443/team/web.git' }),
      await v1('PATCH', withLogin, { repository: 'https://git.example.test/team/secrets.git' }),
      await form(`${withLogin}/update`, { repository: 'git@git.example.test:team/secrets.git' }),
    ])
      expect([status, body.error]).to.deep.equal([403, refused])
    for (const [name, to] of [
      [withLogin, 'https://git.example.test/team/web'],
      [withLogin, 'git@git.example.test:team/web.git'],
      [open, elsewhere],
    ] as const)
      expect((await v1('PATCH', name, { repository: to })).status, to).to.equal(200)
    const { status } = await api.ask('PATCH', `/api/v1/apps/${withLogin}`, {
      token: admin,
      json: { repository: elsewhere },
    })
    expect(status).to.equal(200)
  })

  it('may not choose another repository of the git host that its environment is connected to', async () => {
    const made = async (repository: string) => {
      const json = { project, environment: 'production', source: 'git', repository }
      return (await api.ask('POST', '/api/v1/apps', { token: admin, json })).body.name as string
    }
    const [short, elsewhere] = [await made('acme/web'), await made('https://git.example.test/acme/web.git')]
    const link = { environment: 'production', installation: 7, account: 'acme' }
    const connect = (gitHosts: object[]) =>
      api.needs.records.projects.edit(project, (current) => ({
        ...current,
        spec: { ...current.spec, gitHosts: gitHosts as (typeof link)[] },
      }))
    await connect([link])
    const refused = 'the environment is connected to the git host: another repository there can be chosen by an admin only, not with a project token' // prettier-ignore
    for (const { status, body } of [
      await v1('PATCH', short, { repository: 'acme/secrets' }),
      await v1('PATCH', short, { repository: 'https://github.com/acme/secrets', deploy: true }),
      await form(`${short}/update`, { repository: 'git@github.com:acme/secrets.git' }),
      await v1('PATCH', elsewhere, { repository: 'acme/secrets' }),
    ])
      expect([status, body.error]).to.deep.equal([403, refused])
    for (const repository of ['https://github.com/Acme/web.git', 'https://git.example.test/acme/api.git'])
      expect((await v1('PATCH', short, { repository })).status, repository).to.equal(200)
    const asAdmin = { token: admin, json: { repository: 'acme/secrets' } }
    expect((await api.ask('PATCH', `/api/v1/apps/${short}`, asAdmin)).status).to.equal(200)
    await connect([{ ...link, environment: 'staging' }])
    expect((await v1('PATCH', short, { repository: 'acme/api' })).status).to.equal(200)
  })
})
