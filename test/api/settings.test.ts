/** Platform settings over HTTP: saved, read back without their secrets, cleared; and cloud connections. */
import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { startTestApi, type Answer, type Asked, type TestApi } from './test-api.ts'

describe('platform settings', () => {
  let api: TestApi
  let client: ClusterClient
  let token: string
  let observer: string

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
    api = await startTestApi()
    token = await api.token({ role: 'admin' })
    observer = await api.token({ role: 'observer' })
    await forget()
  })
  afterEach(() => forget())
  after(async () => {
    await api.stop()
    await forgetRecords()
  })

  const read = async (of: string) => (await api.ask('GET', `/api/settings/${of}`, { token })).body
  const form = (path: string, fields: NonNullable<Asked['form']> = {}): Promise<Answer> =>
    api.ask('POST', `/api/settings/${path}`, { token, form: fields })
  const config = () =>
    client.get<PlatformConfig>({ type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' })
  const secret = async (name: string): Promise<{ type?: string; values: Record<string, string> } | undefined> => {
    const found = await client.get<KubeObject & { type?: string; data?: Record<string, string> }>({
      type: coreTypes.secret,
      namespace: systemNamespace,
      name,
    })
    if (found === undefined) return undefined
    const values = Object.fromEntries(
      Object.entries(found.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
    )
    return { ...(found.type === undefined ? {} : { type: found.type }), values }
  }
  async function forget(): Promise<void> {
    await client.delete({ type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' })
    for (const name of ['platform-registry', 'platform-dns-provider', 'platform-githost'])
      await client.delete({ type: coreTypes.secret, namespace: systemNamespace, name })
    await eventually('the configuration is forgotten', () => api.needs.caches.platformConfig.list().length === 0)
  }
  const loginIn = async (): Promise<Record<string, { username: string; password: string; auth: string }>> =>
    (
      JSON.parse((await secret('platform-registry'))?.values['.dockerconfigjson'] ?? '{"auths":{}}') as {
        auths: Awaited<ReturnType<typeof loginIn>>
      }
    ).auths

  it('POST /api/settings/registry/save, GET /api/settings/registry and POST /api/settings/registry/clear keep a login that nobody reads back', async () => {
    expect(await read('registry')).to.deep.equal({ repository: '', configured: false, hasLogin: false })
    const answer = await form('registry/save', {
      repository: 'ghcr.io/acme/apps',
      username: 'robot',
      password: 's3cret-pass',
    })
    expect([answer.status, answer.body]).to.deep.equal([200, { ok: true }])
    expect(await read('registry')).to.deep.equal({ repository: 'ghcr.io/acme/apps', configured: true, hasLogin: true })
    expect((await secret('platform-registry'))?.type).to.equal('kubernetes.io/dockerconfigjson')
    expect(await loginIn()).to.deep.equal({
      'ghcr.io': {
        username: 'robot',
        password: 's3cret-pass',
        auth: Buffer.from('robot:s3cret-pass').toString('base64'),
      },
    })
    expect((await config())?.spec.registry).to.deep.equal({
      repository: 'ghcr.io/acme/apps',
      credentialRef: { name: 'platform-registry' },
    })
    expect((await api.ask('GET', '/api/v1/settings/registry', { token })).text).not.to.include('s3cret')
    // Only the repository changes: the login stays, now for the new repository's host.
    expect((await form('registry/save', { repository: 'acme/apps', keepExisting: 'on' })).body).to.deep.equal({
      ok: true,
    })
    expect(Object.entries(await loginIn()).map(([host, { password }]) => [host, password])).to.deep.equal([
      ['https://index.docker.io/v1/', 's3cret-pass'],
    ])
    expect((await form('registry/save', { repository: 'localhost:5000/apps' })).body).to.deep.equal({ ok: true })
    expect(await read('registry')).to.deep.equal({
      repository: 'localhost:5000/apps',
      configured: true,
      hasLogin: false,
    })
    expect(await loginIn()).to.deep.equal({})
    expect((await form('registry/clear')).body).to.deep.equal({ ok: true })
    expect(await read('registry')).to.deep.equal({ repository: '', configured: false, hasLogin: false })
    expect([await secret('platform-registry'), (await config())?.spec.registry]).to.deep.equal([undefined, undefined])
    expect((await form('registry/clear')).body).to.deep.equal({ ok: true })
  })

  it('POST /api/settings/registry/save refuses half a login and what is no repository, and keeps what was there', async () => {
    await form('registry/save', { repository: 'ghcr.io/acme/apps', username: 'robot', password: 'kept' })
    const both = 'give both username and password, or neither'
    expect((await form('registry/save', { repository: 'ghcr.io/other', username: 'robot' })).body).to.deep.equal({
      error: both,
    })
    expect(
      (await form('registry/save', { repository: 'ghcr.io/other', password: 'x', keepExisting: 'on' })).body,
    ).to.deep.equal({ error: both })
    for (const repository of ['', 'https://ghcr.io/acme', 'ghcr.io/Acme', 'ghcr.io/acme:latest', 'ghcr.io//acme'])
      expect((await form('registry/save', { repository })).body, repository).to.deep.equal({
        error: 'repository must be a registry path such as registry.example.com/team',
      })
    expect(await read('registry')).to.deep.equal({ repository: 'ghcr.io/acme/apps', configured: true, hasLogin: true })
    expect((await loginIn())['ghcr.io']?.password).to.equal('kept')
    const stale = await api.ask('POST', '/api/settings/registry/save', {
      token,
      form: { repository: 'ghcr.io/other' },
      headers: { 'If-Match': '"1"' },
    })
    expect(stale.body).to.deep.equal({ error: 'the resource was changed by somebody else; read it again and retry' })
  })

  for (const setting of ['registry', 'domain', 'dns-provider', 'githost'])
    it(`GET /api/settings/${setting} says the version of the configuration as its ETag`, async () => {
      await api.ask('POST', '/api/settings/domain/save', { token, form: { rootDomain: 'versions.example.com' } })
      const before = await api.ask('GET', `/api/settings/${setting}`, { token })
      const saved = await api.ask('POST', '/api/settings/domain/save', {
        token,
        form: { rootDomain: 'other.example.com' },
        headers: { 'If-Match': before.headers.get('etag') ?? '' },
      })
      expect(saved.status, saved.text).to.equal(200)
      await form('domain/clear')
    })

  it('POST /api/settings/domain/save, GET /api/settings/domain and POST /api/settings/domain/clear set the domain', async () => {
    const none = {
      rootDomain: '',
      dashboardURL: '',
      dashboardExposure: 'ingress',
      configured: false,
      ready: false,
      reason: 'NoDomain',
      message: 'no root domain is set',
    }
    expect(await read('domain')).to.deep.equal(none)
    const unchecked = {
      configured: true,
      ready: false,
      reason: 'NotChecked',
      message: 'nothing has checked this setting yet',
    }
    expect((await form('domain/save', { rootDomain: 'example.com' })).body).to.deep.equal({ ok: true })
    expect(await read('domain')).to.deep.equal({
      rootDomain: 'example.com',
      dashboardURL: 'https://svc.example.com',
      dashboardExposure: 'ingress',
      ...unchecked,
    })
    expect((await config())?.metadata.name).to.equal('platform')
    await form('domain/save', {
      rootDomain: '',
      dashboardURL: 'https://svc.example.org',
      dashboardExposure: 'cloudflare-tunnel',
    })
    const tunnelled = {
      rootDomain: 'example.org',
      dashboardURL: 'https://svc.example.org',
      dashboardExposure: 'cloudflare-tunnel',
    }
    expect(await read('domain')).to.deep.equal({ ...tunnelled, ...unchecked })
    await tellCondition('DashboardDomainReady', 'False', 'PendingDNS', 'host does not resolve')
    expect(await read('domain')).to.deep.equal({
      ...tunnelled,
      configured: true,
      ready: false,
      reason: 'PendingDNS',
      message: 'host does not resolve',
    })
    // A verdict holds for the generation that was checked (docs/reference/platform.md#domain-verification).
    await form('domain/save', { dashboardURL: 'https://svc.example.net' })
    expect(await read('domain')).to.deep.equal({
      ...tunnelled,
      rootDomain: 'example.net',
      dashboardURL: 'https://svc.example.net',
      ...unchecked,
    })
    for (const [fields, error] of [
      [{ rootDomain: 'nodot' }, 'rootDomain must be a lowercase host name with a dot, such as example.com'],
      [{ rootDomain: 'Example.com' }, 'rootDomain must be a lowercase host name with a dot, such as example.com'],
      [
        { dashboardURL: 'http://svc.example.com' },
        'dashboardURL must be an https address without a path, such as https://svc.example.com',
      ],
      [
        { dashboardURL: 'https://svc.example.com/path' },
        'dashboardURL must be an https address without a path, such as https://svc.example.com',
      ],
      [{ dashboardExposure: 'smoke' }, 'dashboardExposure must be ingress or cloudflare-tunnel'],
    ] as const)
      expect((await form('domain/save', fields)).body).to.deep.equal({ error })
    expect((await form('domain/clear')).body).to.deep.equal({ ok: true })
    expect(await read('domain')).to.deep.equal(none)
  })

  it('a session of the dashboard may write from the address that was saved', async () => {
    const cookie = await api.signIn('admin')
    const write = (origin: string) =>
      api.ask('POST', '/api/settings/domain/save', { cookie, form: { rootDomain: 'example.com' }, headers: { origin } })
    expect((await write('https://svc.example.com')).body).to.deep.equal({
      error: 'request origin could not be verified',
    })
    await form('domain/save', { rootDomain: 'example.com' })
    expect((await write('https://svc.example.com')).body).to.deep.equal({ ok: true })
  })

  it('POST /api/settings/dns-provider/save, GET /api/settings/dns-provider and POST /api/settings/dns-provider/clear keep the token to themselves', async () => {
    const none = {
      accountId: '',
      zoneId: '',
      zoneName: '',
      zones: [],
      configured: false,
      ready: false,
      reason: 'NotConnected',
      message: 'no DNS provider is connected',
    }
    expect(await read('dns-provider')).to.deep.equal(none)
    expect((await form('dns-provider/save', { accountId: 'acc' })).body).to.deep.equal({
      error: 'apiToken is required',
    })
    expect((await form('dns-provider/save', { apiToken: 'tok' })).body).to.deep.equal({
      error: 'accountId is required',
    })
    expect(await config()).to.equal(undefined)
    await form('dns-provider/save', {
      apiToken: 's3cret-token',
      accountId: 'acc',
      zoneName: 'example.com',
      zones: ['example.com', 'example.org'],
      zoneId: 'abc123',
    })
    const shown = {
      accountId: 'acc',
      zoneId: 'abc123',
      zoneName: 'example.com',
      zones: ['example.com', 'example.org'],
      configured: true,
    }
    expect(await read('dns-provider')).to.deep.equal({
      ...shown,
      ready: false,
      reason: 'NotChecked',
      message: 'nothing has checked this setting yet',
    })
    expect((await secret('platform-dns-provider'))?.values).to.deep.equal({
      apiToken: 's3cret-token',
      accountId: 'acc',
      zoneName: 'example.com',
      zones: 'example.com,example.org',
    })
    expect((await config())?.spec).to.deep.include({
      cloudflareConnectionRef: { name: 'platform-dns-provider' },
      cloudflareZoneID: 'abc123',
    })
    await tellCondition('CloudflareReady', 'True', 'Connected', 'connected')
    expect(await read('dns-provider')).to.deep.equal({
      ...shown,
      ready: true,
      reason: 'Connected',
      message: 'connected',
    })
    expect((await form('dns-provider/save', { keepExisting: 'on', zoneId: '' })).body).to.deep.equal({ ok: true })
    expect(await read('dns-provider')).to.deep.include({ accountId: 'acc', zoneId: '', zones: shown.zones })
    expect((await secret('platform-dns-provider'))?.values['apiToken']).to.equal('s3cret-token')
    expect((await form('dns-provider/clear')).body).to.deep.equal({ ok: true })
    expect([await read('dns-provider'), await secret('platform-dns-provider')]).to.deep.equal([none, undefined])
  })

  it('GET /api/settings/domain, GET /api/settings/dns-provider and GET /api/bootstrap tell what the last checks said of this very generation', async () => {
    await form('domain/save', { rootDomain: 'example.com' })
    await form('dns-provider/save', { apiToken: 'a-token', accountId: 'an-account' })
    const { generation: observedGeneration = 0 } = (await config())?.metadata ?? {}
    const lastTransitionTime = new Date().toISOString()
    const said = (type: string, reason: string) => ({
      type,
      status: 'True',
      reason,
      message: `as ${reason}`,
      lastTransitionTime,
      observedGeneration,
    })
    const ref = { type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' }
    const conditions = [said('DashboardDomainReady', 'Verified'), said('CloudflareReady', 'Connected')]
    await client.patch(
      ref,
      { status: { conditions, dns: { zoneID: 'z1', zoneName: 'example.com' } } },
      { subresource: 'status' },
    )
    const platform = async () =>
      (await api.ask('GET', '/api/bootstrap', { token })).body['platform'] as Record<string, unknown>
    await eventually('the checks are told', async () => (await platform())['cloudflareReady'] === true, 20_000)
    expect(await read('domain')).to.include({ ready: true, reason: 'Verified', message: 'as Verified' })
    expect(await read('dns-provider')).to.include({ ready: true, reason: 'Connected', message: 'as Connected' })
    expect(await platform()).to.include({
      hasCloudflare: true,
      cloudflareZoneId: 'z1',
      cloudflareZoneName: 'example.com',
    })
    await form('domain/save', { rootDomain: 'example.org' })
    expect(await read('domain')).to.include({ ready: false, reason: 'NotChecked' })
    expect(await platform()).to.include({ cloudflareReady: false })
    await form('dns-provider/clear')
    await form('domain/clear')
    const wakes = ['domain saved', 'DNS provider saved', 'DNS provider cleared', 'domain cleared'].map(
      (reason) => `platform/platform: ${reason}`,
    )
    expect(api.woken).to.include.members(wakes)
  })

  it('POST /api/settings/githost/save, GET /api/settings/githost and POST /api/settings/githost/clear keep the keys of the app to themselves', async () => {
    const none = { appId: '', clientId: '', slug: '', configured: false }
    expect(await read('githost')).to.deep.equal(none)
    const privateKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const app = {
      appId: '4711',
      clientId: 'Iv1.abc',
      clientSecret: 'c-secret',
      slug: 'svc-acme',
      privateKey,
      webhookSecret: 'w-secret',
    }
    for (const field of Object.keys(app)) {
      const { [field as keyof typeof app]: _, ...others } = app // the keys of a constant object
      expect((await form('githost/save', others)).body, field).to.deep.equal({ error: `${field} is required` })
    }
    expect((await form('githost/save', { ...app, privateKey: 'no key' })).body).to.deep.equal({
      error: 'privateKey must be a private key in PEM form',
    })
    expect((await form('githost/save', app)).body).to.deep.equal({ ok: true })
    expect(await read('githost')).to.deep.equal({
      appId: '4711',
      clientId: 'Iv1.abc',
      slug: 'svc-acme',
      configured: true,
    })
    expect(Object.keys((await secret('platform-githost'))?.values ?? {}).sort()).to.deep.equal([
      'app_id',
      'client_id',
      'client_secret',
      'private_key',
      'slug',
      'webhook_secret',
    ])
    expect((await form('githost/save', { keepExisting: 'on', slug: 'svc-other' })).body).to.deep.equal({ ok: true })
    expect((await secret('platform-githost'))?.values).to.deep.include({ slug: 'svc-other', client_secret: 'c-secret' })
    const { project } = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body
    const install = await api.ask('POST', `/api/projects/${project}/githost/install`, {
      token,
      form: { environment: 'production' },
    })
    expect(install.body.url).to.match(/^https:\/\/github\.com\/apps\/svc-other\/installations\/new\?state=/)
    expect((await form('githost/clear')).body).to.deep.equal({ ok: true })
    expect([await read('githost'), await secret('platform-githost')]).to.deep.equal([none, undefined])
  })

  it('settings are for admins, on both surfaces', async () => {
    for (const path of [
      '/api/settings/registry',
      '/api/v1/settings/registry',
      '/api/settings/domain',
      '/api/settings/dns-provider',
      '/api/settings/githost',
    ])
      expect((await api.ask('GET', path, { token: observer })).body?.error, path).to.equal(
        'viewer role cannot access this',
      )
    expect(
      (await api.ask('POST', '/api/v1/settings/registry/save', { token, json: { repository: 'ghcr.io/acme' } })).body,
    ).to.deep.equal({ ok: true })
    expect((await api.ask('GET', '/api/v1/settings/registry', { token })).body).to.deep.include({
      repository: 'ghcr.io/acme',
    })
    const leaks = api.logLines().filter((line) => /s3cret|c-secret|w-secret/.test(JSON.stringify(line)))
    expect(leaks).to.deep.equal([])
  })

  it('POST /api/cloud-connections/create keeps the keys of both providers in a Secret beside the record', async () => {
    const { project } = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body
    const create = (fields: NonNullable<Asked['form']>) =>
      api.ask('POST', '/api/cloud-connections/create', { token, form: fields })
    const aws = { name: `aws-${project}`, project, accessKeyId: 'AKIA', secretAccessKey: 'k3y', region: 'eu-central-1' }
    expect((await create(aws)).body).to.deep.equal({ ok: true })
    expect((await create(aws)).body, 'asked again after a lost answer').to.deep.equal({ ok: true })
    expect((await secret(`aws-${project}-credentials`))?.values).to.deep.equal({
      accessKeyId: 'AKIA',
      secretAccessKey: 'k3y',
      region: 'eu-central-1',
    })
    const planetScale = { name: `ps-${project}`, provider: 'PlanetScale', project, token: 't0k', organization: 'acme' }
    expect(
      (await api.ask('POST', '/api/v1/cloud-connections/create', { token, json: planetScale })).body,
    ).to.deep.equal({ ok: true })
    expect((await secret(`ps-${project}-credentials`))?.values).to.deep.equal({ token: 't0k', organization: 'acme' })
    const made = api.needs.caches.cloudConnections.list().filter(({ spec }) => spec.project === project)
    expect(
      made
        .map(({ metadata, spec }) => [
          metadata.name,
          spec.provider,
          spec.secretRef.name,
          spec.region,
          spec.organization,
        ])
        .sort(byName),
    ).to.deep.equal([
      [`aws-${project}`, 'AWS', `aws-${project}-credentials`, 'eu-central-1', ''],
      [`ps-${project}`, 'PlanetScale', `ps-${project}-credentials`, '', 'acme'],
    ])
    for (const [fields, error] of [
      [{ ...aws, secretAccessKey: 'other' }, `the name aws-${project} is already used`],
      [{ ...aws, name: 'Not Plain' }, 'name must use lowercase letters, digits, and hyphens, up to 50 characters'],
      [{ ...aws, provider: 'Nimbus' }, 'provider must be AWS or PlanetScale'],
      [{ name: 'half', project, accessKeyId: 'AKIA' }, 'secretAccessKey is required'],
      [{ name: 'half', project, secretAccessKey: 'k3y' }, 'accessKeyId is required'],
      [
        { name: 'mixed', project, accessKeyId: 'AKIA', secretAccessKey: 'k3y', token: 'x' },
        'token and organization apply to the provider PlanetScale only',
      ],
      [{ name: 'half', provider: 'PlanetScale', project, token: 'x' }, 'organization is required'],
      [{ name: 'half', provider: 'PlanetScale', project, organization: 'x' }, 'token is required'],
      [
        { name: 'mixed', provider: 'PlanetScale', project, token: 'x', organization: 'x', region: 'eu' },
        'accessKeyId, secretAccessKey, and region apply to the provider AWS only',
      ],
    ] as const)
      expect((await create(fields)).body).to.deep.equal({ error })
    for (const missing of ['proj-00000000', 'No Project']) {
      const answer = await api.ask('POST', '/api/v1/cloud-connections/create', {
        token,
        json: { ...aws, name: 'lost', project: missing },
      })
      expect([answer.status, answer.body]).to.deep.equal([404, { error: 'project not found', code: 'not_found' }])
    }
    for (const name of ['half', 'mixed', 'lost']) expect(await secret(`${name}-credentials`), name).to.equal(undefined)
  })

  const byName = ([a = '']: readonly string[], [b = '']: readonly string[]): number => a.localeCompare(b)

  async function tellCondition(type: string, status: 'True' | 'False', reason: string, message: string): Promise<void> {
    const live = await config()
    const condition = {
      type,
      status,
      reason,
      message,
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: live?.metadata.generation,
    }
    const ref = { type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' }
    await client.patch(ref, { status: { conditions: [condition] } }, { subresource: 'status' })
    await eventually('the api has seen the condition', () =>
      api.needs.caches.platformConfig
        .list()
        .some((seen) => seen.status?.conditions?.some((each) => each.reason === reason) === true),
    )
  }
})
