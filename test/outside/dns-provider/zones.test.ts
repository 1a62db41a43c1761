/** Calls of the DNS provider's API against a stand-in on loopback that answers as Cloudflare's reference says. */
import { expect } from 'chai'
import { createProviderApi, type ProviderApi, ProviderFailure } from '../../../outside/dns-provider/call.ts'
import {
  createTunnel,
  findTunnel,
  removeTunnel,
  setTunnelRules,
  tunnelRules,
  tunnelToken,
} from '../../../outside/dns-provider/tunnels.ts'
import {
  createRecord,
  ownRecords,
  recordsOf,
  removeRecord,
  updateRecord,
  visibleZones,
} from '../../../outside/dns-provider/zones.ts'
import { type CloudflareStandIn, startCloudflareStandIn } from '../../harness/cloudflare-api.ts'

const install = 'install-uid'

describe('the DNS provider (a stand-in for Cloudflare)', () => {
  let provider: CloudflareStandIn
  let api: ProviderApi

  beforeEach(async () => {
    provider = await startCloudflareStandIn()
    api = createProviderApi({ apiToken: provider.token, accountId: provider.account }, { url: provider.url })
  })
  afterEach(() => provider.stop())

  const failure = async (call: Promise<unknown>): Promise<ProviderFailure> => {
    const error = await call.then(
      () => undefined,
      (cause: unknown) => cause,
    )
    if (error instanceof ProviderFailure) return error
    throw new Error(`no ProviderFailure but ${String(error)}`)
  }
  const record = (name: string, content = '192.0.2.1') => ({
    type: 'A' as const,
    name,
    content,
    proxied: false,
    comment: `svc ${install} owner`,
  })

  it('lists zones and records of several pages', async () => {
    for (let at = 0; at < 120; at += 1) provider.zone(`zone${at}.test`)
    expect(await visibleZones(api, provider.account)).to.have.length(120)
    const zone = provider.zone('zone0.test')
    for (let at = 0; at < 130; at += 1) zone.records.push({ ...record(`host${at}.zone0.test`), id: `r${at}`, ttl: 1 })
    expect(await ownRecords(api, zone.id, install)).to.have.length(130)
    expect(await visibleZones(api, 'another-account')).to.deep.equal([])
  })

  it('makes, finds, changes and removes a record, and removes one that is gone already', async () => {
    const zone = provider.zone('example.com')
    zone.records.push({
      id: 'foreign',
      type: 'TXT',
      name: 'example.com',
      content: 'v=spf1',
      proxied: false,
      ttl: 1,
      comment: null,
    })
    await createRecord(api, zone.id, record('web.example.com'))
    const [made] = await ownRecords(api, zone.id, install)
    expect(made).to.include({ type: 'A', name: 'web.example.com', content: '192.0.2.1' })
    await updateRecord(api, zone.id, made?.id ?? '', record('web.example.com', '192.0.2.9'))
    expect((await recordsOf(api, zone.id, 'web.example.com')).map(({ content }) => content)).to.deep.equal([
      '192.0.2.9',
    ])
    await removeRecord(api, zone.id, made?.id ?? '')
    await removeRecord(api, zone.id, made?.id ?? '')
    expect(zone.records.map(({ id }) => id)).to.deep.equal(['foreign'])
  })

  it('makes a tunnel, configures it, and removes it, twice over', async () => {
    const { id } = await createTunnel(api, provider.account, 'svc-test')
    expect(await findTunnel(api, provider.account, 'svc-test')).to.include({ id })
    expect(await tunnelToken(api, provider.account, id)).to.equal(provider.tunnels[0]?.token)
    expect(await tunnelRules(api, provider.account, id)).to.deep.equal([])
    await setTunnelRules(api, provider.account, id, [{ service: 'http_status:404' }])
    expect(await tunnelRules(api, provider.account, id)).to.deep.equal([{ service: 'http_status:404' }])
    expect((await failure(createTunnel(api, provider.account, 'svc-test'))).codes).to.deep.equal([1013])
    await removeTunnel(api, provider.account, id)
    await removeTunnel(api, provider.account, id)
    expect(await findTunnel(api, provider.account, 'svc-test')).to.equal(undefined)
  })

  it('distinguishes an invalid token from one without the rights', async () => {
    const stranger = createProviderApi(
      { apiToken: 'not-the-token', accountId: provider.account },
      { url: provider.url },
    )
    expect(await failure(visibleZones(stranger, provider.account))).to.include({ kind: 'invalid-token' })
    const unsendable = createProviderApi({ apiToken: 'a\nb', accountId: provider.account }, { url: provider.url })
    expect(await failure(visibleZones(unsendable, provider.account))).to.include({
      kind: 'invalid-token',
      message: 'the token cannot be sent',
    })
    provider.allow(/^GET \/zones/)
    const { id } = provider.zone('example.com')
    expect(await failure(createRecord(api, id, record('web.example.com')))).to.include({
      kind: 'forbidden',
      message: 'the DNS provider answers 403: Authentication error (10000)',
    })
  })

  for (const [what, headers, least, most] of [
    ['seconds', () => ({ 'retry-after': '7' }), 7_000, 7_000],
    ['a date', () => ({ 'retry-after': new Date(Date.now() + 120_000).toUTCString() }), 60_000, 121_000],
    ['nothing', () => ({}), 30_000, 30_000],
    ['something unreadable', () => ({ 'retry-after': 'later' }), 30_000, 30_000],
    ['a day', () => ({ 'retry-after': '86400' }), 3_600_000, 3_600_000],
  ] as const) {
    it(`waits as asked to by ${what}`, async () => {
      provider.fault({ on: /^GET \/zones/, does: { status: 429, headers: headers() } })
      const limited = await failure(visibleZones(api, provider.account))
      expect(limited).to.include({ kind: 'limited', message: 'the DNS provider asks to wait' })
      expect(limited.afterMs).to.be.within(least, most)
    })
  }

  for (const [what, does] of [
    ['an error of its own', { status: 500 }],
    ['a closed connection before the effect', 'drop-before'],
    ['a closed connection after the effect', 'drop-after'],
  ] as const) {
    it(`says that it is away for ${what}`, async () => {
      const { id } = provider.zone('example.com')
      provider.fault({ on: /^POST/, does })
      expect(await failure(createRecord(api, id, record('web.example.com')))).to.include({ kind: 'away' })
    })
  }

  it("never repeats the token, not even where the provider's answer does", async () => {
    provider.fault({ on: /^GET/, does: { status: 400, errors: [{ code: 1, message: `bad token ${provider.token}` }] } })
    expect((await failure(visibleZones(api, provider.account))).message).to.equal(
      'the DNS provider answers 400: bad token … (1)',
    )
  })
})
