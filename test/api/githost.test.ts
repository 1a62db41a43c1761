/** The git host: making the app, connecting an environment, and what may be built. GitHub is a stand-in. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { githubApp, type GitHubServer, startGitHub } from '../harness/github.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type Answer, type Asked, type TestApi } from './test-api.ts'

describe('the git host', function () {
  this.timeout(60_000)
  const clock = { now: Date.now() }
  const begun = '/settings/githost/manifest/callback'
  let github: GitHubServer
  let api: TestApi
  let client: ClusterClient
  let token: string
  let admin: string
  let viewer: string
  let name: string

  before(async () => {
    ;({ client } = await useStack())
    github = await startGitHub()
    const env = { SVC_GITHUB_URL: github.url, SVC_GITHUB_API_URL: github.url }
    api = await startTestApi({ env, clock: () => clock.now })
    token = await api.token({ role: 'admin' })
    ;[admin, viewer] = [await api.signIn('admin'), await api.signIn('viewer')]
    name = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body.project
  })
  after(async () => {
    await forget()
    await Promise.all([api.stop(), github.stop()])
  })
  afterEach(() => {
    github.refuseWith = undefined
    clock.now = Date.now()
  })

  async function forget(): Promise<void> {
    await client.delete({ type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' })
    await client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: 'platform-githost' })
    await eventually('the configuration is forgotten', () => api.needs.caches.platformConfig.list().length === 0)
  }
  const settings = (path: string, form: NonNullable<Asked['form']> = {}) =>
    api.ask('POST', `/api/settings/${path}`, { token, form })
  const page = (path: string, query: Record<string, string> = {}, cookie = admin): Promise<Answer> =>
    api.ask('GET', `${path}?${new URLSearchParams(query).toString()}`, { cookie, headers: { accept: 'text/html' } })
  const links = async () =>
    (await client.get<Project>({ type: resourceTypes.project, namespace: systemNamespace, name }))?.spec.gitHosts
  const project = (
    path: string,
    form: NonNullable<Asked['form']> = {},
    as: Pick<Asked, 'cookie' | 'token'> = { token },
  ) => api.ask('POST', `/api/projects/${name}/githost/${path}`, { ...as, form })
  const stateOf = (url: string): string => new URL(url).searchParams.get('state') ?? ''

  /** The newest audit line of the operation. */
  const audited = (operation: string) =>
    api.logLines().findLast((line) => line['audit'] === true && line['operation'] === operation)

  async function setUp(): Promise<void> {
    expect((await settings('githost/save', githubApp)).body).to.deep.equal({ ok: true })
  }
  /** The state of a way to the git host that the signed-in admin began. */
  const beginInstall = async (environment = 'production'): Promise<string> => {
    const { body } = await project('install', { environment }, { cookie: admin })
    return stateOf(body.url)
  }

  it('makes the app from a manifest whose way back only works for who began it, once', async () => {
    await forget()
    const refused = await page('/settings/githost/new')
    expect([refused.status, refused.text]).to.deep.equal([
      400,
      'set the domain of the platform first: the git host sends its events there\n',
    ])
    expect((await settings('domain/save', { dashboardURL: 'https://svc.example.com' })).status).to.equal(200)
    await eventually(
      'the domain is seen',
      () => api.needs.caches.platformConfig.list()[0]?.spec.dashboardURL !== undefined,
    )
    const offered = await page('/settings/githost/new')
    expect(offered.headers.get('content-security-policy')).to.include(`form-action ${github.url}`)
    const manifest = JSON.parse(
      (/name="manifest" value="([^"]*)"/.exec(offered.text)?.[1] ?? '')
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&'),
    ) as Record<string, unknown>
    expect(manifest).to.deep.include({
      name: 'svc svc.example.com',
      hook_attributes: { url: 'https://svc.example.com/webhooks/githost', active: true },
      redirect_url: 'https://svc.example.com/settings/githost/manifest/callback',
      callback_urls: ['https://svc.example.com/githost/callback'],
      request_oauth_on_install: true,
    })
    const state = stateOf((/action="([^"]*)"/.exec(offered.text)?.[1] ?? '').replaceAll('&amp;', '&'))
    github.manifestCodes.add('code-1')
    const late = 'the way back from the git host is not valid any more; begin again\n'
    expect((await page(begun, { code: 'code-1', state: `${state}x` })).text).to.equal(late)
    expect((await page(begun, { code: 'code-1' })).text).to.equal('state is required\n')
    expect((await page('/githost/callback', { code: 'code-1', state, installation_id: '7' })).text).to.equal(late)
    clock.now += 3_601_000
    expect((await page(begun, { code: 'code-1', state })).text).to.equal(late)
    clock.now = Date.now()
    const taken = await page(begun, { code: 'code-1', state })
    expect([taken.status, taken.text]).to.deep.equal([
      200,
      'The git-host app svc-acme is set up. Connect an environment of a project next.\n',
    ])
    expect((await api.ask('GET', '/api/settings/githost', { token })).body).to.deep.equal({
      appId: '4711',
      clientId: 'Iv1.abc',
      slug: 'svc-acme',
      configured: true,
    })
    expect(audited('settings.githost-save')).to.deep.include({ actor: 'admin', resource: {}, result: 'done' })
    const again = await page(begun, { code: 'code-1', state })
    expect(audited('settings.githost-save')).to.deep.include({ actor: 'admin', result: 'refused', status: 400 })
    expect([again.status, again.text]).to.deep.equal([400, 'the git host refused it: 404: Not Found\n'])
  })

  it('lets only signed-in admins through its pages', async () => {
    for (const path of ['/settings/githost/new', begun, '/githost/callback']) {
      expect((await api.ask('GET', path)).status, path).to.equal(401)
      expect((await page(path, {}, viewer)).status, path).to.equal(403)
      expect((await api.ask('GET', path, { token })).status, path).to.equal(401)
    }
  })

  it('connects an environment to an installation that its admin manages, and to no other', async () => {
    await setUp()
    github.personCodes.set('mine', [{ id: 71, account: 'acme' }])
    github.personCodes.set('mine-again', [{ id: 71, account: 'acme' }])
    const callback = (query: Record<string, string>) => page('/githost/callback', query)
    const foreign = await callback({ code: 'mine', state: await beginInstall(), installation_id: '72' })
    expect([foreign.status, foreign.text]).to.deep.equal([
      400,
      'the installation is not one that you manage at the git host\n',
    ])
    expect(await links()).to.equal(undefined)
    expect((await callback({ code: 'used', state: await beginInstall(), installation_id: '71' })).text).to.equal(
      'the git host refused it: 401: the code is not valid any more\n',
    )
    const asked = await callback({ state: await beginInstall(), setup_action: 'request' })
    expect(asked.text).to.match(/^The owner of the organization was asked/)
    const done = await callback({ code: 'mine-again', state: await beginInstall(), installation_id: '71' })
    expect(`${done.status} ${done.text}`).to.match(/^200 production of \S+ builds from repositories of acme now\.\n$/)
    expect(await links()).to.deep.equal([{ environment: 'production', installation: 71, account: 'acme' }])
    expect(audited('projects.githost-install')).to.deep.include({
      actor: 'admin',
      resource: { project: name, environment: 'production', account: 'acme', installation: 71 },
      result: 'done',
    })
    const log = JSON.stringify(api.logLines())
    for (const secret of ['mine-again', ...github.tokens]) expect(log.includes(secret), secret).to.equal(false)
  })

  it('a way that a token began is ended by any admin, and one of an admin not by another caller', async () => {
    await setUp()
    const { body } = await project('install', { environment: 'production' })
    expect(body.url).to.match(new RegExp(`^${github.url}/apps/svc-acme/installations/new\\?state=`))
    github.personCodes.set('any', [{ id: 71, account: 'acme' }])
    const state = stateOf(body.url)
    expect((await page('/githost/callback', { code: 'any', state, installation_id: '71' })).status).to.equal(200)
  })

  it('GET /api/projects/{p}/githost/repos lists what the installation was given, with every page', async () => {
    await setUp()
    const names = Array.from({ length: 230 }, (_, number) => `acme/repo-${String(number).padStart(3, '0')}`)
    github.repositories.set(71, names)
    const { body } = await api.ask('GET', `/api/projects/${name}/githost/repos`, { token })
    expect(body.items.map(({ FullName }: { FullName: string }) => FullName)).to.deep.equal(names)
    expect(body.items[0]).to.deep.equal({
      FullName: 'acme/repo-000',
      DefaultBranch: 'main',
      Private: true,
      HTMLURL: 'https://github.test/acme/repo-000',
    })
    github.refuseWith = 503
    const refused = await api.ask('GET', `/api/projects/${name}/githost/repos`, { token })
    expect([refused.status, refused.body.error]).to.deep.equal([400, 'the repositories cannot be listed: 503: no'])
  })

  it('POST /api/projects/{p}/githost/disconnect unlinks the environment, once', async () => {
    await setUp()
    expect((await project('disconnect', { environment: 'production' })).body).to.deep.equal({ ok: true })
    expect(await links()).to.equal(undefined)
    expect((await project('disconnect', { environment: 'production' })).body).to.deep.equal({
      error: 'the environment production is not connected to a git host',
    })
    expect((await api.ask('GET', `/api/projects/${name}/githost/repos`, { token })).body).to.deep.equal({
      error: 'the project is not connected to a git host',
    })
  })
})
