/**
 * The owner of a host, as a table: the platform, the service that the host is assigned to, the service it routes to
 * already, the oldest service.
 */
import { expect } from 'chai'
import { claimsOf, hostKeys, hostTrouble, type HostTrouble, lostHosts } from '../../../kinds/apps/hosts.ts'
import { type App, appSpec } from '../../../kinds/apps/kind.ts'
import { apiVersion } from '../../../kinds/meta/group.ts'
import { reservedHosts } from '../../../kinds/platform/address.ts'

const root = 'example.com'
const auto = { domain: root }
const shop = 'shop.example.com'
const project = 'proj-0000000a'
const other = 'proj-0000000b'

interface Service {
  name: string
  project?: string
  environment?: string
  /** The position in the order of creation. */
  age?: number
  host?: string
  rules?: string[]
  draft?: boolean
  leaving?: boolean
  leadsTo?: string[]
}

function service({
  name,
  age = 5,
  host = '',
  rules = [],
  draft = false,
  leaving = false,
  leadsTo,
  ...place
}: Service): App {
  const ingress = { host, rules: rules.map((rule) => ({ host: rule, path: '/api/login' })) }
  return {
    apiVersion,
    kind: 'SvcApp',
    metadata: {
      name,
      uid: `uid-of-${name}`,
      creationTimestamp: `2026-01-0${age}T00:00:00Z`,
      ...(leaving ? { deletionTimestamp: '2026-02-01T00:00:00Z' } : {}),
    },
    spec: appSpec.parse({
      project,
      environment: 'production',
      ...place,
      source: { image: { image: 'x' } },
      ingress,
      deploy: { enabled: !draft },
    }),
    ...(leadsTo === undefined ? {} : { status: { hosts: leadsTo } }),
  }
}

/** The result for the first of the services. */
function troubleOf(
  host: string,
  [mine, ...others]: [Service, ...Service[]],
  drafts = false,
  known: typeof auto | 'unknown' = auto,
): HostTrouble | undefined {
  const all = [mine, ...others].map(service)
  const asking = all[0] ?? expect.fail('no service asks')
  const services = { by: (_: 'host', key: string) => all.filter((app) => hostKeys(app).includes(key)) }
  return hostTrouble(
    host,
    asking,
    { auto: known === 'unknown' ? undefined : known, reserved: reservedHosts({ rootDomain: root }), services },
    asking,
    drafts,
  )
}

const mine = { name: 'web', host: shop }
const given = `web-${other}.${root}`
const long = 'w'.repeat(60)
const cut = `${'w'.repeat(54)}-0badcafe.${root}`

const rows: [string, string, [Service, ...Service[]], HostTrouble | undefined][] = [
  ['a free host', shop, [mine], undefined],
  ['the host of the dashboard', `svc.${root}`, [{ name: 'web', host: `svc.${root}` }], 'platform'],
  [
    'the host of the dashboard as a further rule',
    `svc.${root}`,
    [{ name: 'web', host: shop, rules: [`svc.${root}`] }],
    'platform',
  ],
  [
    'the host of the dashboard that led to it before',
    `svc.${root}`,
    [{ name: 'web', host: `svc.${root}`, leadsTo: [`svc.${root}`] }],
    'platform',
  ],
  ['the root domain', root, [{ name: 'web', host: root }], 'platform'],
  [
    'the given host of another service',
    given,
    [
      { name: 'shop', host: given, age: 1 },
      { name: 'web', project: other },
    ],
    'given',
  ],
  ['a host of the form that nothing is given yet', given, [{ name: 'shop', host: given }], 'given'],
  ['one of that form with an environment', `web-${other}-staging.${root}`, [{ name: 'shop', host: given }], 'given'],
  ['one that was cut', cut, [{ name: 'shop', host: cut }], 'given'],
  ['its own given host', given, [{ name: 'web', project: other }], undefined],
  ['its own given host, named in the spec', given, [{ name: 'web', project: other, host: given }], undefined],
  [
    'its own given host, which an older service asked for before it was made',
    given,
    [
      { name: 'web', project: other },
      { name: 'older', host: given, age: 1 },
    ],
    undefined,
  ],
  [
    'its own given host, which leads to another service since the domain was another one',
    given,
    [
      { name: 'web', project: other },
      { name: 'older', host: given, age: 1, leadsTo: [given] },
    ],
    undefined,
  ],
  [
    'a given host under another domain',
    `web-${other}.elsewhere.net`,
    [{ name: 'shop', host: `web-${other}.elsewhere.net` }],
    undefined,
  ],
  ['a host of an older service', shop, [mine, { name: 'older', host: shop, age: 1 }], 'service'],
  [
    'a further host of an older service',
    shop,
    [mine, { name: 'older', host: 'a.net', rules: [shop], age: 1 }],
    'service',
  ],
  ['a host of a younger service', shop, [mine, { name: 'younger', host: shop, age: 9 }], undefined],
  [
    'a host that leads to a younger service',
    shop,
    [mine, { name: 'younger', host: shop, age: 9, leadsTo: [shop] }],
    'service',
  ],
  [
    'a host that leads to both',
    shop,
    [
      { ...mine, leadsTo: [shop] },
      { name: 'younger', host: shop, age: 9, leadsTo: [shop] },
    ],
    undefined,
  ],
  [
    'a host that led to a service which no longer asks for it',
    shop,
    [mine, { name: 'older', host: 'a.net', age: 1, leadsTo: [shop] }],
    undefined,
  ],
  ['a host of an older draft', shop, [mine, { name: 'older', host: shop, age: 1, draft: true }], undefined],
  [
    'a host of a service that is being deleted',
    shop,
    [mine, { name: 'older', host: shop, age: 1, leaving: true }],
    undefined,
  ],
]

describe('a host', () => {
  for (const [what, host, services, expected] of rows) {
    it(`${what} ${expected === undefined ? "is the service's" : `is not the service's: ${expected}`}`, () => {
      expect(troubleOf(host, services)).to.equal(expected)
    })
  }

  it('that two services are given belongs to the older', () => {
    const one = { name: `web-${project}`, project: other, age: 1 }
    const same = { name: 'web', environment: other, age: 2 }
    const host = `web-${project}-${other}.${root}`
    expect([troubleOf(host, [one, same]), troubleOf(host, [same, one])]).to.deep.equal([undefined, 'service'])
  })

  it('of a draft is not another one that is saved', () => {
    expect(troubleOf(shop, [mine, { name: 'older', host: shop, age: 1, draft: true }], true)).to.equal('service')
  })

  it('of the form of given ones is kept under every domain where that of the platform is not known', () => {
    expect(troubleOf(`web-${other}.elsewhere.net`, [{ name: 'shop' }], true, 'unknown')).to.equal('given')
    expect(troubleOf(`web-${other}.elsewhere.net`, [{ name: 'web', project: other }], true, 'unknown')).to.equal(
      undefined,
    )
  })

  it('is lost where it is reserved or given to another, each with its reason, and no other is', () => {
    const app = service({ name: 'web', host: shop, rules: [`svc.${root}`, 'free.net', given] })
    const rules = { auto, reserved: reservedHosts({ rootDomain: root }), services: { by: () => [app] } }
    expect(lostHosts(app, claimsOf(app, auto), rules)).to.deep.equal([
      { host: `svc.${root}`, trouble: 'platform' },
      { host: given, trouble: 'given' },
    ])
  })

  it('that is given to a long name is its own though it is cut', () => {
    const app = service({ name: long })
    expect(lostHosts(app, claimsOf(app, auto), { auto, reserved: [], services: { by: () => [app] } })).to.deep.equal([])
  })
})
