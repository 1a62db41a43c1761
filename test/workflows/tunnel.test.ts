/**
 * Tunnel mode against a stand-in for Cloudflare: the tunnel made, configured and connected, each way it can fail, and
 * its removal.
 */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { eventually } from '../cluster/eventually.ts'
import { dnsWithinMs } from '../harness/dns-server.ts'
import { kubectl } from '../harness/kubectl.ts'
import { createApp, createProject, deploy, wakeWith, useRecords } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import { startTestWorker, testPolicy, type TestWorker } from '../harness/worker.ts'
import { makePlatformWorld, platformPolicy, type PlatformWorld } from './platform-world.ts'

const root = 'tunnel.test'
const dashboard = `svc.${root}`
const type = 'CloudflareReady'
const waitMs = 60_000
const tunnelMode = { dashboardExposure: 'cloudflare-tunnel' as const }

describe('the tunnel of the platform (a stand-in for Cloudflare)', function () {
  this.timeout(120_000)
  let world: PlatformWorld
  let worker: TestWorker

  before(async function () {
    this.timeout(dnsWithinMs)
    world = await makePlatformWorld(root)
    wakeWith({ ...testPolicy, ...platformPolicy })
    worker = await startTestWorker(platformPolicy, 'temporal/main.ts', world.env)
  })
  beforeEach(() => world.reset())
  after(async () => {
    await worker.stop('SIGKILL')
    await world.stop()
    wakeWith(testPolicy)
  })

  const zone = () => world.provider.zone(root)
  const held = () =>
    zone()
      .records.map(({ type: kind, name, content }) => `${name} ${kind} ${content}`)
      .toSorted()
  const connector = async () =>
    (await useStack()).client.get<KubeObject>({
      type: coreTypes.deployment,
      namespace: systemNamespace,
      name: 'svc-tunnel',
    })

  it('is Ready in tunnel mode once the tunnel is made, configured and connected, and leaves nothing of it in ingress mode', async () => {
    const records = await useRecords()
    const web = { host: `web.${root}`, path: '/', tlsEnabled: false, dnsVerification: false, rules: [] }
    await deploy(records, await createApp(records, await createProject(records), { ingress: web }))
    zone()
    await world.saveDomain(tunnelMode)
    await world.connect()
    const ready = await world.untilSaid(type, 'Ready', `the tunnel is up and records are kept in ${root}`)
    const [tunnel] = world.provider.tunnels
    const target = `${tunnel?.id ?? ''}.cfargotunnel.com`
    expect(ready.status?.cloudflareTunnelID).to.equal(tunnel?.id)
    expect(ready.spec.tunnelCNAMETarget).to.equal(target)
    await eventually(
      'both are aliases of the tunnel',
      () => held().join() === `${dashboard} CNAME ${target},web.${root} CNAME ${target}`,
      waitMs,
    )
    expect(tunnel?.config?.ingress).to.deep.equal([
      { hostname: dashboard, service: 'http://svc-dashboard-test.svc-system.svc:8085' },
      { hostname: `web.${root}`, service: 'http://traefik.kube-system.svc:80' },
      { service: 'http_status:404' },
    ])
    await world.saveDomain({ dashboardExposure: 'ingress' })
    const back = await world.untilSaid(type, 'Connected')
    expect(held()).to.deep.equal([`${dashboard} A 127.0.0.1`, `web.${root} A 127.0.0.1`])
    expect([back.status?.cloudflareTunnelID, back.spec.tunnelCNAMETarget, tunnel?.deleted_at === null]).to.deep.equal([
      undefined,
      undefined,
      false,
    ])
    expect(await connector()).to.equal(undefined)
  })

  it('makes a deleted connector of the tunnel again', async () => {
    zone()
    await world.saveDomain(tunnelMode)
    await world.connect()
    await world.untilSaid(type, 'Ready')
    const before = await connector()
    await kubectl(['delete', 'deployment', 'svc-tunnel', '-n', 'svc-system'])
    await eventually(
      'it is there again',
      async () => ![undefined, before?.metadata.uid].includes((await connector())?.metadata.uid),
      waitMs,
    )
    await world.untilSaid(type, 'Ready')
  })

  for (const [reason, on] of [
    ['TunnelError', /^POST .*cfd_tunnel$/],
    ['TunnelTokenError', /^GET .*token$/],
    ['TunnelConfigError', /^PUT .*configurations$/],
  ] as const) {
    it(`says ${reason} when the provider refuses that, and goes on when it no longer does`, async () => {
      world.provider.fault({ on, does: { status: 403, errors: [{ code: 10000, message: 'Authentication error' }] } })
      zone()
      await world.saveDomain(tunnelMode)
      await world.connect()
      await world.untilSaid(type, reason, 'the DNS provider answers 403: Authentication error (10000)')
      world.provider.heal()
      await world.untilSaid(type, 'Ready')
      expect(world.provider.tunnels).to.have.length(1)
    })
  }

  it('makes one tunnel when the answer to its creation is lost', async () => {
    world.provider.fault({ on: /^POST .*cfd_tunnel$/, does: 'drop-after', times: 1 })
    zone()
    await world.saveDomain(tunnelMode)
    await world.connect()
    await world.untilSaid(type, 'Ready')
    expect(world.provider.tunnels).to.have.length(1)
  })
})
