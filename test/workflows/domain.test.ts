/**
 * The verification of the dashboard's address on real servers: a name server with a zone that changes, and a TLS
 * endpoint.
 */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { resyncScheduleId } from '../../durable/ids.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { eventually } from '../cluster/eventually.ts'
import { asDashboard } from '../harness/dashboard-endpoint.ts'
import { dnsWithinMs } from '../harness/dns-server.ts'
import { kubectl } from '../harness/kubectl.ts'
import { wakeWith } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import { useClient } from '../harness/temporal-client.ts'
import { startTestWorker, testPolicy, type TestWorker } from '../harness/worker.ts'
import {
  dashboardService,
  makePlatformWorld,
  platformId,
  platformPolicy,
  type PlatformWorld,
} from './platform-world.ts'

const root = 'domain.test'
const host = `svc.${root}`
const type = 'DashboardDomainReady'
const waitMs = 60_000

describe('the verification of the dashboard address', function () {
  this.timeout(120_000)
  let world: PlatformWorld
  let worker: TestWorker

  const start = async (policy: object = {}) => {
    wakeWith({ ...testPolicy, ...platformPolicy, ...policy })
    return startTestWorker({ ...platformPolicy, ...policy }, 'temporal/main.ts', world.env)
  }
  /** A worker with other durations: a run keeps the durations that it began with. */
  const startWith = async (policy: object) => {
    await worker.stop('SIGKILL')
    worker = await start(policy)
  }
  const here = () => world.dns.serve(['svc A 127.0.0.1'])

  before(async function () {
    this.timeout(dnsWithinMs)
    world = await makePlatformWorld(root)
    worker = await start()
  })
  beforeEach(async () => {
    world.endpoint.answer(asDashboard)
    await world.reset()
  })
  after(async () => {
    await worker.stop('SIGKILL')
    await world.stop()
    wakeWith(testPolicy)
  })

  it('is Verified once the address answers, and rests then', async () => {
    await here()
    await world.saveDomain()
    const verified = await world.untilSaid(type, 'Verified', `${world.url} answers`)
    expect(verified.status?.domainCheck).to.equal(undefined)
    await world.untilRest()
    expect(world.endpoint.asked).to.be.above(0)
  })

  it('says NoDomain without one, and rests', async () => {
    await world.saveDomain({ rootDomain: '', dashboardURL: '' })
    await world.untilSaid(type, 'NoDomain', 'no root domain is set')
    await world.untilRest()
  })

  it('waits with PendingDNS until the name resolves to the cluster, and verifies it then by itself', async () => {
    await world.saveDomain()
    await world.untilSaid(type, 'PendingDNS', `${host} does not resolve yet`)
    await world.dns.serve(['svc A 127.0.0.99'])
    await world.untilSaid(type, 'PendingDNS', `${host} resolves to 127.0.0.99 and not to this cluster (127.0.0.1)`)
    await here()
    await world.untilSaid(type, 'Verified')
  })

  it('waits with PendingHTTPS while the address does not answer as the dashboard', async () => {
    await here()
    world.endpoint.answer((response) => void response.writeHead(503).end())
    await world.saveDomain()
    await world.untilSaid(type, 'PendingHTTPS', `${world.url} does not answer: it answers 503`)
    world.endpoint.answer(asDashboard)
    await world.untilSaid(type, 'Verified')
  })

  it('waits with PendingHTTPS while the certificate is of another name, and says why by the issuer (a stand-in for the definition of cert-manager)', async () => {
    await here()
    const forget = await unreadyIssuer()
    try {
      world.endpoint.present(await world.authority.issue(`other.${root}`))
      await world.saveDomain()
      const why = 'cluster issuer letsencrypt-prod is not ready (ErrRegisterACMEAccount: no account yet)'
      await world.untilSaid(
        type,
        'PendingHTTPS',
        `${world.url} does not answer: its certificate is not valid yet (ERR_TLS_CERT_ALTNAME_INVALID); ${why}`,
      )
    } finally {
      await forget()
    }
    world.endpoint.present(await world.authority.issue(host))
    await world.untilSaid(type, 'Verified')
  })

  it('waits with PendingTunnel in tunnel mode without a tunnel', async () => {
    await world.saveDomain({ dashboardExposure: 'cloudflare-tunnel' })
    await world.untilSaid(type, 'PendingTunnel', 'no DNS provider is connected that could make the tunnel')
    await world.saveDomain({ dashboardExposure: 'ingress' })
    await world.untilSaid(type, 'PendingDNS')
  })

  it('says ZoneRequired while several zones are visible and none matches', async () => {
    world.provider.zone('elsewhere.test')
    world.provider.zone('another.test')
    await world.saveDomain()
    await world.connect()
    await world.untilSaid(type, 'ZoneRequired', `2 zones are visible and none matches ${root}: choose one`)
    await here()
    world.provider.zone(root)
    await world.untilSaid(type, 'Verified')
  })

  it('says PendingDNS with the cause when the record cannot be made', async () => {
    world.provider.zone(root)
    world.provider.allow(/^GET /)
    await world.saveDomain()
    await world.connect()
    await world.untilSaid(
      type,
      'PendingDNS',
      'DNS record creation failed: the DNS provider answers 403: Authentication error (10000)',
    )
  })

  it('says Error while the credentials are incomplete', async () => {
    const { client } = await useStack()
    await world.saveDomain()
    await world.connect()
    await client.patch(
      { type: coreTypes.secret, namespace: systemNamespace, name: 'platform-dns-provider' },
      { data: { apiToken: null } },
    )
    await world.untilSaid(type, 'Error', 'Secret platform-dns-provider has no apiToken')
  })

  it('says Error while the Service of the dashboard is not there, and makes its Ingress once it is', async () => {
    const { client } = await useStack()
    const ref = { type: coreTypes.service, namespace: systemNamespace, name: dashboardService }
    const service = await client.get<KubeObject & { spec: { ports: object[] } }>(ref)
    await client.delete(ref)
    await world.saveDomain()
    await world.untilSaid(type, 'Error', `the dashboard's Service ${dashboardService} was not found in svc-system`)
    const metadata = { name: dashboardService, namespace: systemNamespace }
    await client.create(coreTypes.service, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { ports: service?.spec.ports ?? [] },
    })
    await world.untilSaid(type, 'PendingDNS')
    type Ingress = KubeObject & { spec: { rules: { host: string }[]; tls: { hosts: string[] }[] } }
    const ingress = () =>
      client.get<Ingress>({ type: coreTypes.ingress, namespace: systemNamespace, name: 'svc-dashboard' })
    expect((await ingress())?.spec.rules.map((rule) => rule.host)).to.deep.equal([host])
    await world.saveDomain({ dashboardExposure: 'cloudflare-tunnel' })
    await eventually('the Ingress goes in tunnel mode', async () => (await ingress()) === undefined, waitMs)
  })

  it('says VerificationTimedOut after its time with the cause, and goes on checking', async () => {
    await startWith({ domainPendingMs: 1_000, domainSlowMs: 500 })
    await world.saveDomain()
    const cause = `${host} does not resolve yet`
    await world.untilSaid(
      type,
      'VerificationTimedOut',
      `not verified within 1 second, so it is checked every 0.5 seconds from now on: ${cause}`,
    )
    await here()
    await world.untilSaid(type, 'Verified')
    await startWith({})
  })

  it('holds for the generation that was checked only: an edit by kubectl is verified anew', async () => {
    await here()
    await world.saveDomain()
    const before = await world.untilSaid(type, 'Verified')
    await world.untilRest()
    await kubectl([
      'patch',
      'svcplatformconfig',
      'platform',
      '-n',
      'svc-system',
      '--type=merge',
      '-p',
      `{"spec":{"dashboardURL":"https://new.${root}"}}`,
    ])
    await world.untilSaid(type, 'PendingDNS', `new.${root} does not resolve yet`)
    await kubectl([
      'patch',
      'svcplatformconfig',
      'platform',
      '-n',
      'svc-system',
      '--type=merge',
      '-p',
      `{"spec":{"dashboardURL":"${world.url}"}}`,
    ])
    const after = await world.untilSaid(type, 'Verified')
    expect(after.metadata.generation).to.be.above(before.metadata.generation ?? 0)
  })

  it('keeps the moment it began when the worker dies, and goes on', async () => {
    await world.saveDomain()
    const before = await world.untilSaid(type, 'PendingDNS')
    await worker.stop('SIGKILL')
    worker = await start()
    await here()
    expect(world.store.cache.get('platform', systemNamespace)?.status?.domainCheck?.since).to.equal(
      before.status?.domainCheck?.since,
    )
    await world.untilSaid(type, 'Verified')
  })

  it('is resumed by the resync when its run was ended by hand', async () => {
    await world.saveDomain()
    await world.untilSaid(type, 'PendingDNS')
    const { workflow, schedule } = await useClient()
    await workflow.getHandle(platformId).terminate('ended by hand')
    await here()
    await schedule.getHandle(resyncScheduleId).trigger()
    await world.untilSaid(type, 'Verified')
  })

  it('records each reason once as an Event', async () => {
    const { client } = await useStack()
    await world.saveDomain()
    const { metadata } = await world.untilSaid(type, 'PendingDNS')
    const events = await client.list<KubeObject & { reason: string; involvedObject: { uid: string } }>(
      coreTypes.event,
      { namespace: systemNamespace },
    )
    expect(
      events.items.filter(({ involvedObject }) => involvedObject.uid === metadata.uid).map(({ reason }) => reason),
    ).to.deep.equal(['PendingDNS'])
  })

  it('adds nothing to the history of its run, however often it checks', async () => {
    await here()
    world.endpoint.answer((response) => void response.writeHead(503).end())
    const historyAfter = async (checks: number): Promise<number> => {
      const before = world.endpoint.asked
      await eventually(`${checks} checks`, () => world.endpoint.asked - before >= checks, 100_000)
      return (await (await useClient()).workflow.getHandle(platformId).describe()).historyLength
    }
    await world.saveDomain()
    await world.untilSaid(type, 'PendingHTTPS')
    const first = await historyAfter(2)
    // Temporal retries after a second at the earliest.
    expect(await historyAfter(10)).to.equal(first)
  })
})

/**
 * Makes an issuer that is not ready and the one definition of cert-manager that it needs; returns what removes both.
 */
async function unreadyIssuer(): Promise<() => Promise<void>> {
  const { client } = await useStack()
  const issuers: ResourceType = {
    group: 'cert-manager.io',
    version: 'v1',
    kind: 'ClusterIssuer',
    plural: 'clusterissuers',
    namespaced: false,
  }
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const name = 'clusterissuers.cert-manager.io'
  await client.create<KubeObject & { spec: object }>(coreTypes.customResourceDefinition, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group: issuers.group,
      scope: 'Cluster',
      names: { plural: issuers.plural, singular: 'clusterissuer', kind: issuers.kind },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  })
  const conditions = [{ type: 'Ready', status: 'False', reason: 'ErrRegisterACMEAccount', message: 'no account yet' }]
  const issuer = {
    apiVersion: 'cert-manager.io/v1',
    kind: 'ClusterIssuer',
    metadata: { name: 'letsencrypt-prod' },
    status: { conditions },
  }
  await eventually(
    'the definition is served',
    () =>
      client.create(issuers, issuer).then(
        () => true,
        () => false,
      ),
    waitMs,
  )
  return async () => {
    await client.delete({ type: coreTypes.customResourceDefinition, name })
  }
}
