/** Platform settings over HTTP, of the domain and the DNS provider: saved, read back with what was checked, cleared. */
import { expect } from 'chai'
import { eventually } from '../cluster/eventually.ts'
import { configRef, useSettings } from './settings-world.ts'

describe('platform settings of names', () => {
  const { world, ask, read, form, leaks, config, secret } = useSettings()

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
    await writeCondition('DashboardDomainReady', 'False', 'PendingDNS', 'host does not resolve')
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
    const cookie = await world.api.signIn('admin')
    const write = (origin: string, site: object = {}) =>
      world.api.ask('POST', '/api/settings/domain/save', {
        cookie,
        form: { rootDomain: 'example.com' },
        headers: { origin, ...site },
      })
    expect((await write('https://svc.example.com')).body).to.deep.equal({
      error: 'request origin could not be verified',
    })
    await form('domain/save', { rootDomain: 'example.com' })
    expect((await write('https://svc.example.com')).body).to.deep.equal({ ok: true })
    const other = await write('https://svc.example.com', { 'sec-fetch-site': 'same-site' })
    expect(other.body, 'the browser shows the dashboard elsewhere').to.deep.equal({
      error: 'request origin could not be verified',
    })
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
    await writeCondition('CloudflareReady', 'True', 'Connected', 'connected')
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
    expect(leaks()).to.deep.equal([])
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
    const conditions = [said('DashboardDomainReady', 'Verified'), said('CloudflareReady', 'Connected')]
    await world.client.patch(
      configRef,
      { status: { conditions, dns: { zoneID: 'z1', zoneName: 'example.com' } } },
      { subresource: 'status' },
    )
    const platform = async () => (await ask('GET', '/api/bootstrap')).body['platform'] as Record<string, unknown>
    await eventually('the checks are written', async () => (await platform())['cloudflareReady'] === true, 20_000)
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
    expect(world.api.woken).to.include.members(wakes)
  })

  async function writeCondition(
    type: string,
    status: 'True' | 'False',
    reason: string,
    message: string,
  ): Promise<void> {
    const live = await config()
    const condition = {
      type,
      status,
      reason,
      message,
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: live?.metadata.generation,
    }
    await world.client.patch(configRef, { status: { conditions: [condition] } }, { subresource: 'status' })
    await eventually('the api has seen the condition', () =>
      world.api.needs.caches.platformConfig
        .list()
        .some((seen) => seen.status?.conditions?.some((each) => each.reason === reason) === true),
    )
  }
})
