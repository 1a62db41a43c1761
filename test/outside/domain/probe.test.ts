/** Lookups and probes against a real name server and a real TLS endpoint on loopback. */
import { expect } from 'chai'
import { freePort } from '../../../one-machine/processes/index.ts'
import { probe } from '../../../outside/domain/probe.ts'
import { connectionLookup, createLookup } from '../../../outside/domain/resolver.ts'
import {
  asDashboard,
  makeAuthority,
  startEndpoint,
  type TestAuthority,
  type TestEndpoint,
} from '../../harness/dashboard-endpoint.ts'
import { dnsWithinMs, startDns, type TestDns } from '../../harness/dns-server.ts'

const zone = 'probe.test'
const host = `svc.${zone}`
const tryMs = 20_000

describe('the check of a public address', function () {
  this.timeout(60_000)
  let dns: TestDns
  let authority: TestAuthority
  let endpoint: TestEndpoint

  before(async function () {
    this.timeout(dnsWithinMs)
    dns = await startDns(zone)
    authority = await makeAuthority()
    endpoint = await startEndpoint(await authority.issue(host))
    await dns.serve(['svc A 127.0.0.1', 'alias CNAME svc', 'six AAAA ::1', 'two A 127.0.0.1', 'two A 127.0.0.2'])
  })
  after(async () => {
    await dns.stop()
    await endpoint.stop()
    await authority.forget()
  })
  afterEach(() => endpoint.answer(asDashboard))

  const lookup = () => createLookup(` ${dns.server} `)
  const ask = (name = host, port = endpoint.port, ca: string | undefined = authority.pem) =>
    probe(`https://${name}:${port}`, { tryMs, lookup: connectionLookup(lookup()), ca })

  for (const [name, addresses] of [
    ['svc', ['127.0.0.1']],
    ['alias', ['127.0.0.1']],
    ['six', ['::1']],
    ['two', ['127.0.0.1', '127.0.0.2']],
    ['nobody', []],
  ] as const) {
    it(`finds the addresses of ${name}`, async () => {
      const found = await lookup().find(`${name}.${zone}`)
      expect('addresses' in found ? found.addresses.toSorted() : found).to.deep.equal(addresses)
    })
  }

  it('says that a name server does not answer', async () => {
    expect(await createLookup(`127.0.0.1:${await freePort()}`).find(host)).to.deep.equal({
      problem: 'the name server does not answer',
    })
  })

  it('says what a name server answers that knows no such zone', async () => {
    expect(await lookup().find('svc.elsewhere.test')).to.deep.equal({ problem: 'the name server answers EREFUSED' })
  })

  it('passes where the dashboard answers, by the name it was asked for', async () => {
    expect(await ask()).to.equal(undefined)
  })

  for (const [what, reply, why] of [
    ['an error', (response) => void response.writeHead(503).end(), 'it answers 503'],
    [
      'a redirect',
      (response) => void response.writeHead(301, { location: 'https://elsewhere.test' }).end(),
      'it answers 301, a redirect',
    ],
    [
      'another page',
      (response) => void response.writeHead(200).end('<h1>welcome</h1>'),
      'something else answers there',
    ],
    [
      'ok false',
      (response) => void response.writeHead(200).end('{"ok":false,"service":"svc-dashboard"}'),
      'something else answers there',
    ],
    ['more than a probe', (response) => void response.writeHead(200).end('x'.repeat(100_000)), 'it cannot be asked'],
    ['nothing', (response) => void response.destroy(), 'the connection is closed before an answer comes'],
  ] as const satisfies readonly (readonly [string, Parameters<TestEndpoint['answer']>[0], string])[]) {
    it(`fails for ${what}`, async () => {
      endpoint.answer(reply)
      expect(await ask()).to.equal(why)
    })
  }

  it('fails where nothing listens', async () => {
    expect(await ask(host, await freePort())).to.equal('the connection is refused')
  })

  it('fails for a name that does not resolve', async () => {
    expect(await ask(`nobody.${zone}`)).to.equal('its name does not resolve')
  })

  it('fails for a certificate of an unknown authority, and for one of another name', async () => {
    expect(await probe(`https://${host}:${endpoint.port}`, { tryMs, lookup: connectionLookup(lookup()) })).to.match(
      /^its certificate is not valid yet \(/,
    )
    expect(await ask(`alias.${zone}`)).to.equal('its certificate is not valid yet (ERR_TLS_CERT_ALTNAME_INVALID)')
  })

  it('times out at a silent endpoint', async () => {
    endpoint.answer(() => undefined)
    expect(
      await probe(`https://${host}:${endpoint.port}`, {
        tryMs: 500,
        lookup: connectionLookup(lookup()),
        ca: authority.pem,
      }),
    ).to.equal('it takes too long')
  })
})
