/**
 * The workflow of the DNS provider against a stand-in for Cloudflare: connection, zone and records of services; nothing
 * is left behind after its removal.
 */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { eventually } from '../cluster/eventually.ts'
import type { StandInRecord } from '../harness/cloudflare-api.ts'
import { dnsWithinMs } from '../harness/dns-server.ts'
import { kubectl } from '../harness/kubectl.ts'
import {
  createApp,
  createProject,
  deploy,
  wakeWith,
  type TestRecords,
  until,
  untilGone,
  untilState,
  useRecords,
} from '../harness/records.ts'
import { startTestWorker, testPolicy, type TestWorker } from '../harness/worker.ts'
import { makePlatformWorld, platformPolicy, type PlatformWorld } from './platform-world.ts'
import { untilSetUp } from './service-world.ts'

const root = 'dns.test'
const dashboard = `svc.${root}`
const type = 'CloudflareReady'
const waitMs = 60_000

describe('the DNS provider of the platform (a stand-in for Cloudflare)', function () {
  this.timeout(120_000)
  let world: PlatformWorld
  let worker: TestWorker
  let records: TestRecords
  let project: Project
  const apps: App[] = []

  before(async function () {
    this.timeout(dnsWithinMs)
    world = await makePlatformWorld(root)
    wakeWith({ ...testPolicy, ...platformPolicy })
    worker = await startTestWorker(platformPolicy, 'temporal/main.ts', world.env)
    records = await useRecords()
    project = await createProject(records)
    await untilSetUp(records, project)
  })
  beforeEach(() => world.reset())
  afterEach(async () => {
    for (const app of apps.splice(0)) await remove(app)
  })
  after(async () => {
    await worker.stop('SIGKILL')
    await world.stop()
    wakeWith(testPolicy)
  })

  const remove = async (app: App) => {
    await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
    await untilGone(records, app)
  }
  const serve = async (host: string) => {
    const app = await createApp(records, project, {
      ingress: { host, path: '/', tlsEnabled: false, dnsVerification: false, rules: [] },
    })
    apps.push(app)
    await deploy(records, app)
    return untilState(records, app, 'ready')
  }
  const zone = () => world.provider.zone(root)
  const held = () =>
    zone()
      .records.map(({ type: kind, name, content }) => `${name} ${kind} ${content}`)
      .toSorted()
  const untilHeld = (wanted: readonly string[]) =>
    eventually(
      `${wanted.join(', ')} and not ${held().join(', ')}`,
      () => held().join() === [...wanted].toSorted().join(),
      waitMs,
    )
  const foreign = (record: Partial<StandInRecord>): StandInRecord => {
    const made = {
      id: `foreign-${zone().records.length}`,
      type: 'A',
      name: `www.${root}`,
      content: '198.51.100.7',
      proxied: true,
      ttl: 300,
      comment: null,
      ...record,
    }
    zone().records.push(made)
    return made
  }
  const eventsOf = async (uid: string | undefined): Promise<string[]> => {
    const events = await records.client.list<KubeObject & { message: string; involvedObject: { uid: string } }>(
      coreTypes.event,
      { namespace: systemNamespace },
    )
    return events.items.filter(({ involvedObject }) => involvedObject.uid === uid).map(({ message }) => message)
  }
  const connected = async () => {
    zone()
    await world.saveDomain()
    await world.connect()
    await world.untilSaid(type, 'Connected', `records are kept in ${root}`)
  }

  it('is Connected without a domain, and makes nothing', async () => {
    zone()
    await world.connect()
    await world.untilSaid(type, 'Connected', 'the DNS provider is connected; records are made once a domain is set')
    expect(held()).to.deep.equal([])
  })

  it('keeps records of the dashboard and of every service, and removes those of a service that is deleted', async () => {
    const before = await serve(`before.${root}`)
    await connected()
    await untilHeld([`${dashboard} A 127.0.0.1`, `before.${root} A 127.0.0.1`])
    const later = await serve(`later.${root}`)
    await untilHeld([`${dashboard} A 127.0.0.1`, `before.${root} A 127.0.0.1`, `later.${root} A 127.0.0.1`])
    const [comment] = zone()
      .records.filter(({ name }) => name === `later.${root}`)
      .map((record) => record.comment ?? '')
    expect(comment).to.include(later.metadata.uid ?? 'no uid')
    await remove(before)
    await untilHeld([`${dashboard} A 127.0.0.1`, `later.${root} A 127.0.0.1`])
    expect((await world.untilSaid(type, 'Connected')).status?.dns).to.deep.equal({ zoneID: zone().id, zoneName: root })
  })

  it('gives services without a host one of the domain, and takes it back', async () => {
    const app = await serve('')
    await connected()
    const host = `${app.metadata.name}-${project.metadata.name}.${root}`
    await untilHeld([`${dashboard} A 127.0.0.1`, `${host} A 127.0.0.1`])
    await until(records.apps, app, (record) => record?.status?.url === `http://${host}`, 'at its host')
    const ingress = {
      type: coreTypes.ingress,
      namespace: `${project.metadata.name}-production`,
      name: app.metadata.name,
    }
    expect(await records.client.get(ingress)).to.not.equal(undefined)
    await world.disconnect()
    await until(records.apps, app, (record) => record?.status?.url === '', 'without a host')
    await eventually('its Ingress is gone', async () => (await records.client.get(ingress)) === undefined, waitMs)
  })

  it('repairs a record that was removed or changed, with the next change of another one', async () => {
    await connected()
    const [record] = zone().records
    if (record === undefined) throw new Error('no record was made')
    record.content = '198.51.100.9'
    await serve(`web.${root}`)
    await untilHeld([`${dashboard} A 127.0.0.1`, `web.${root} A 127.0.0.1`])
  })

  it('drops the token and removes every record of its own, and no other one, when it is disconnected', async () => {
    const others = [
      foreign({}),
      foreign({ type: 'TXT', content: 'v=spf1' }),
      foreign({ name: `other.${root}`, comment: 'svc of another owner' }),
    ].map((record) => ({ ...record }))
    await serve(`web.${root}`)
    await connected()
    expect(zone().records).to.have.length(5)
    await world.disconnect()
    await eventually('only the others are left', () => zone().records.length === 3, waitMs)
    expect(zone().records).to.deep.equal(others)
    await until(
      world.store,
      { metadata: { name: 'platform' } },
      (config) => config?.status?.dns === undefined && world.said(type) === undefined,
      'forgotten',
    )
    const secrets = await records.client.list<KubeObject>(coreTypes.secret, {
      namespace: systemNamespace,
      metadataOnly: true,
    })
    expect(
      secrets.items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('platform-dns')),
    ).to.deep.equal([])
  })

  it('drops a token that is not taken any more when it is disconnected, and says in an Event that records may be left', async () => {
    await connected()
    const { metadata } = await world.untilSaid(type, 'Connected')
    world.provider.accept([])
    await world.disconnect()
    const account = { type: coreTypes.secret, namespace: systemNamespace, name: 'platform-dns-account' }
    await eventually('the account is forgotten', async () => (await records.client.get(account)) === undefined, waitMs)
    expect(await eventsOf(metadata.uid)).to.include(
      'DNS records of svc may be left at the DNS provider, since its token may not remove them: the DNS provider answers 403: Invalid access token (9109)',
    )
    expect(held()).to.deep.equal([`${dashboard} A 127.0.0.1`])
  })

  it('removes its records when the configuration itself is deleted with kubectl', async () => {
    await connected()
    await kubectl(['delete', 'svcplatformconfig', 'platform', '-n', 'svc-system'])
    await untilHeld([])
  })

  it('leaves a host alone that has a record of another owner, and says DNSError for the one of the dashboard', async () => {
    const theirs = [foreign({ name: `web.${root}` }), foreign({ name: dashboard })].map((record) => ({ ...record }))
    await serve(`web.${root}`)
    await world.saveDomain()
    await world.connect()
    await world.untilSaid(
      type,
      'DNSError',
      `${dashboard} has a DNS record that leads elsewhere and was not made by svc; remove it`,
    )
    expect(zone().records).to.deep.equal(theirs)
    zone().records.splice(1, 1)
    const { metadata } = await world.untilSaid(type, 'Connected')
    await untilHeld([`${dashboard} A 127.0.0.1`, `web.${root} A 198.51.100.7`])
    expect(await eventsOf(metadata.uid)).to.include(
      `left alone, since their DNS records were not made by svc: web.${root}`,
    )
  })

  it('takes the configured zone, and takes its records along into another one', async () => {
    const other = world.provider.zone('elsewhere.test')
    await connected()
    await world.connect({ zoneId: other.id })
    await world.untilSaid(
      type,
      'DNSError',
      `${dashboard} is not in the zone elsewhere.test, so it can have no record there`,
    )
    expect(held()).to.deep.equal([])
    await world.connect({ zoneId: zone().id })
    await world.untilSaid(type, 'Connected')
    expect(held()).to.deep.equal([`${dashboard} A 127.0.0.1`])
  })

  it('says CredentialsIncomplete without the Secret or a part of it, and goes on once it is whole', async () => {
    zone()
    await world.saveDomain()
    await world.connect()
    const secret = { type: coreTypes.secret, namespace: systemNamespace, name: 'platform-dns-provider' }
    const whole = await records.client.get<KubeObject & { data: Record<string, string> }>(secret)
    await records.client.patch(secret, { data: { accountId: null } })
    await kubectl([
      'patch',
      'svcplatformconfig',
      'platform',
      '-n',
      'svc-system',
      '--type=merge',
      '-p',
      '{"spec":{"prometheusURL":"http://a.test"}}',
    ])
    await world.untilSaid(type, 'CredentialsIncomplete', 'Secret platform-dns-provider has no accountId')
    await records.client.delete(secret)
    await world.untilSaid(
      type,
      'CredentialsIncomplete',
      'Secret platform-dns-provider with the connection to the DNS provider was not found',
    )
    const { resourceVersion: _, uid: __, ...metadata } = whole?.metadata ?? { name: secret.name }
    await records.client.create(coreTypes.secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      data: whole?.data ?? {},
    })
    await world.untilSaid(type, 'Connected')
  })

  it('says in words that what kubectl wrote into the annotation svc.dev/setting cannot be read, and recovers', async () => {
    zone()
    await world.saveDomain()
    await world.connect()
    await world.untilSaid(type, 'Connected')
    const annotate = (kind: string, name: string, text: string) =>
      kubectl(['annotate', '-n', 'svc-system', kind, name, '--overwrite', text])
    await annotate('svcplatformconfig', 'platform', 'svc.dev/setting={"dns-provider":')
    await world.untilSaid(
      type,
      'DNSError',
      'the annotation svc.dev/setting of the platform configuration cannot be read; remove it',
    )
    await annotate('svcplatformconfig', 'platform', 'svc.dev/setting-')
    await world.untilSaid(type, 'Connected')
    await annotate('secret', 'platform-dns-provider', 'svc.dev/setting={"turn":"next","part":5}')
    await kubectl([
      'patch',
      'svcplatformconfig',
      'platform',
      '-n',
      'svc-system',
      '--type=merge',
      '-p',
      '{"spec":{"prometheusURL":"http://b.test"}}',
    ])
    await world.untilSaid(
      type,
      'CredentialsIncomplete',
      'the annotation svc.dev/setting of Secret platform-dns-provider cannot be read; save the DNS provider again',
    )
    await world.connect()
    await world.untilSaid(type, 'Connected')
  })

  it('says CredentialsInvalid for a token that is not taken; it recovers with a new one', async () => {
    zone()
    await world.saveDomain()
    await world.connect({ apiToken: 'a-token-of-yesterday' })
    await world.untilSaid(type, 'CredentialsInvalid', 'the DNS provider answers 403: Invalid access token (9109)')
    await world.connect()
    await world.untilSaid(type, 'Connected')
  })

  it('says DNSError when records may not be made, and when no zone is visible', async () => {
    await world.saveDomain()
    await world.connect()
    await world.untilSaid(type, 'DNSError', 'the token sees no zone')
    world.provider.allow(/^GET /)
    zone()
    await world.untilSaid(type, 'DNSError', 'the DNS provider answers 403: Authentication error (10000)')
    world.provider.heal()
    await world.untilSaid(type, 'Connected')
  })

  it('waits as long as the provider asks to, and makes no call before', async () => {
    world.provider.fault({ on: /^POST /, does: { status: 429, headers: { 'retry-after': '3' } }, times: 1 })
    zone()
    await world.saveDomain()
    await world.connect()
    await world.untilSaid(type, 'DNSError', 'the DNS provider asks to wait')
    const { calls } = world.provider
    const before = calls.length
    const notBefore = Date.parse(world.store.cache.get('platform', systemNamespace)?.status?.dns?.notBefore ?? '')
    // A wake in between does not shorten the wait.
    await world.saveDomain({ dashboardURL: `https://svc.${root}` })
    await eventually('it is asked again', () => calls.length > before, waitMs)
    expect(Date.now()).to.be.at.least(notBefore)
    await world.untilSaid(type, 'Connected')
  })

  it('keeps what holds while the provider does not answer for a while', async () => {
    await connected()
    world.provider.fault({ on: /./, does: { status: 500 } })
    const before = world.provider.calls.length
    await serve(`web.${root}`)
    await eventually('it is asked in vain', () => world.provider.calls.length > before + 1, waitMs)
    expect(world.said(type)).to.include({ status: 'True', reason: 'Connected' })
    world.provider.heal()
    await untilHeld([`${dashboard} A 127.0.0.1`, `web.${root} A 127.0.0.1`])
  })

  for (const does of ['drop-before', 'drop-after'] as const) {
    it(`makes each record once when answers are lost (${does})`, async () => {
      for (const on of [/^GET \/zones$/, /^GET .*dns_records$/, /^POST .*dns_records$/])
        world.provider.fault({ on, does, times: 2 })
      await serve(`web.${root}`)
      await connected()
      expect(held()).to.deep.equal([`${dashboard} A 127.0.0.1`, `web.${root} A 127.0.0.1`].toSorted())
      world.provider.fault({ on: /^DELETE /, does, times: 2 })
      await world.disconnect()
      await untilHeld([])
    })
  }
})
