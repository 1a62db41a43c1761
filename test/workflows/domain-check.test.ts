/**
 * What a check of the dashboard's address reads from the cluster: the addresses of the install, its nodes or its load
 * balancer, or that reading them is forbidden.
 */
import { expect } from 'chai'
import { checkDomain } from '../../activities/platform/check-domain.ts'
import type { AddressedNode, PlatformNeeds } from '../../activities/platform/needs.ts'
import { publicPlace } from '../../activities/platform/public-addresses.ts'
import { ResourceCache } from '../../cluster/cache/cache.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { ClusterError } from '../../cluster/objects/errors.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { createLookup } from '../../outside/domain/resolver.ts'
import { recordStore } from '../../records/store/record-store.ts'
import { saveDomain } from '../../records/settings/domain.ts'
import { useStack } from '../harness/stack.ts'
import { withoutWorker } from '../harness/worker.ts'
import { placementSettings } from '../../temporal/settings/placement.ts'

const ingress = { namespace: systemNamespace, name: 'test-ingress-controller' }

describe('the addresses of the cluster', function () {
  this.timeout(60_000)
  let client: ClusterClient

  const needsOn = (own: ClusterClient, publicAddresses: string[] = []): PlatformNeeds => ({
    client: own,
    config: recordStore(
      own,
      new ResourceCache<PlatformConfig>({
        client: own,
        type: resourceTypes.platformConfig,
        namespace: systemNamespace,
        log: silentLog,
      }),
      resourceTypes.platformConfig,
    ),
    apps: { list: () => [] },
    nodes: { list: () => [] },
    placement: placementSettings({}),
    exposure: { publicAddresses, ingressService: ingress, dashboardService: undefined, tunnelImage: 'none' },
    lookup: createLookup(),
    probe: async () => 'no provider is asked here',
    provider: () => ({ call: () => Promise.reject(new Error('no provider is asked here')) }),
    now: () => new Date(),
  })
  const node = (...addresses: { type: string; address: string }[]): AddressedNode => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'node' },
    status: { addresses },
  })
  const inside = { type: 'InternalIP', address: '10.0.0.1' }
  const outside = { type: 'ExternalIP', address: '203.0.113.1' }
  const balanced = async (status: object) => {
    const spec = { type: 'LoadBalancer', ports: [{ port: 80 }] }
    await client.create<KubeObject & { spec: object }>(coreTypes.service, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: ingress,
      spec,
    })
    await client.patch(
      { type: coreTypes.service, ...ingress },
      { status: { loadBalancer: { ingress: [status] } } },
      { subresource: 'status' },
    )
  }

  before(async () => {
    await withoutWorker()
    ;({ client } = await useStack())
  })
  afterEach(async () => {
    await client.delete({ type: coreTypes.service, ...ingress })
    await client.delete({ type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' })
  })

  it('are those that the install is given', async () => {
    expect(await publicPlace(needsOn(client, ['192.0.2.7']), [node(outside)])).to.deep.equal({
      addresses: ['192.0.2.7'],
    })
  })

  it('are those that nodes have outside, and inside where there are none', async () => {
    expect(await publicPlace(needsOn(client), [node(inside, outside)])).to.deep.equal({ addresses: ['203.0.113.1'] })
    expect(await publicPlace(needsOn(client), [node(inside)])).to.deep.equal({ addresses: ['10.0.0.1'] })
  })

  it('are those of the load balancer before the ingress', async () => {
    await balanced({ ip: '198.51.100.1' })
    expect(await publicPlace(needsOn(client), [node(inside)])).to.deep.equal({ addresses: ['198.51.100.1'] })
    expect(await publicPlace(needsOn(client), [node(inside, outside)])).to.deep.equal({
      addresses: ['198.51.100.1', '203.0.113.1'],
    })
  })

  it('are behind the name of a load balancer that has no address', async () => {
    await balanced({ hostname: 'balancer.example.com' })
    expect(await publicPlace(needsOn(client), [node(outside)])).to.deep.equal({
      addresses: [],
      name: 'balancer.example.com',
    })
  })

  it('that may not be asked for are said to be an Error', async () => {
    const refused = () => Promise.reject(new ClusterError(403, 'Forbidden', 'nodes is forbidden'))
    await saveDomain({ client }, { rootDomain: 'check.test' })
    const check = checkDomain(
      needsOn({ ...client, list: (type, query) => (type.plural === 'nodes' ? refused() : client.list(type, query)) }),
    )
    const input = { recheckMs: 1, pendingMs: 60_000, slowMs: 1, tryMs: 1 }
    const awaited = await check(input, new AbortController().signal).catch((error: unknown) => error)
    expect(awaited).to.include({ message: 'Error: the nodes of the cluster cannot be listed: nodes is forbidden' })
    const known = await client.get<PlatformConfig>({
      type: resourceTypes.platformConfig,
      namespace: systemNamespace,
      name: 'platform',
    })
    // A second check changes nothing.
    await check(input, new AbortController().signal).catch(() => undefined)
    const again = await client.get<PlatformConfig>({
      type: resourceTypes.platformConfig,
      namespace: systemNamespace,
      name: 'platform',
    })
    expect(again?.metadata.resourceVersion).to.equal(known?.metadata.resourceVersion)
  })
})
