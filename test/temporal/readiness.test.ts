/** SvcHAReadiness follows the cluster, on a real kube-apiserver, and is written only after a change. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { ResourceCache } from '../../cluster/cache/cache.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { ClusterError } from '../../cluster/objects/errors.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { HaReadiness, HaReadinessStatus } from '../../kinds/ha-readiness/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { ensureCluster } from '../../temporal/setup/ensure-cluster.ts'
import { createReadinessCaches, type ReadinessCaches } from '../../temporal/caches/readiness-caches.ts'
import { watchReadiness } from '../../temporal/watch/watch-readiness.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'

const waitMs = 20_000
/** Longer than changes are collected before a check. */
const lookedMs = 600
/** The ingress class of every worker of the run: all must come to the same result. */
const ingressClass = 'traefik'

describe('the readiness record', function () {
  this.timeout(60_000)
  let client: ClusterClient
  let caches: { start(): Promise<void>; stop(): Promise<void> }[]
  let stopWatching: () => void
  let watched: ReadinessCaches
  /** Writes of the record's status, and how many of the next ones the client refuses. */
  let writes = 0
  let refusals = 0
  const name = `ready-${randomBytes(3).toString('hex')}`
  const definition = 'clusters.postgresql.cnpg.io'
  const ref = { type: resourceTypes.haReadiness, namespace: systemNamespace, name: 'platform' }

  before(async () => {
    client = (await useStack()).client
    caches = []
    await ensureCluster(client, new Date())
    watched = createReadinessCaches((options) => {
      const cache = new ResourceCache({ client, log: silentLog, ...options })
      caches.push(cache)
      return cache
    })
    await Promise.all(caches.map((cache) => cache.start()))
    const faulty: ClusterClient = {
      ...client,
      async patch(patched, ...rest) {
        if (patched.type === resourceTypes.haReadiness) {
          writes += 1
          if (refusals > 0) {
            refusals -= 1
            throw new ClusterError(409, 'Conflict', 'another worker wrote it')
          }
        }
        return await client.patch(patched, ...rest)
      },
    }
    stopWatching = watchReadiness({
      client: faulty,
      caches: watched,
      ingressClass,
      now: () => new Date(),
      log: silentLog,
    })
  })
  after(async () => {
    stopWatching()
    await Promise.all(caches.map((cache) => cache.stop()))
    await client.delete({ type: coreTypes.node, name })
    await client.delete({ type: coreTypes.ingressClass, name: ingressClass })
    await client.delete({ type: coreTypes.customResourceDefinition, name: definition })
    await client.delete(ref)
  })

  const read = async () => await client.get<HaReadiness>(ref)
  const becomes = async (what: string, holds: (status: HaReadinessStatus) => boolean) => {
    await eventually(what, async () => holds((await read())?.status ?? {}), waitMs)
  }
  const make = (type: (typeof coreTypes)[keyof typeof coreTypes], object: object) =>
    client.create(type, object as KubeObject) // plain objects of the cluster

  it('is made at the start and says what is missing', async () => {
    await becomes('the record is there', ({ healthyNodes }) => healthyNodes === 2)
    const status = (await read())?.status
    expect(status).to.include({ ready: false, storageClassReady: true, clusterReady: true, addonsReady: false })
    const wanted = `Not highly available: 2 of 3 ready nodes, CloudNativePG is not installed, the ingress class ${ingressClass} is not installed`
    expect(status?.conditions?.[0]).to.include({ type: 'Ready', status: 'False', reason: 'Lacking', message: wanted })
  })

  it('notices a third node, an ingress class and the PostgreSQL operator', async () => {
    await make(coreTypes.node, { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { unschedulable: true } })
    await becomes('three nodes are ready', ({ healthyNodes }) => healthyNodes === 3)
    await make(coreTypes.ingressClass, {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: ingressClass },
      spec: { controller: 'svc.dev/test' },
    })
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    await make(coreTypes.customResourceDefinition, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: definition },
      spec: {
        group: 'postgresql.cnpg.io',
        scope: 'Namespaced',
        names: { plural: 'clusters', singular: 'cluster', kind: 'Cluster', listKind: 'ClusterList' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    })
    await becomes('the cluster is highly available', ({ ready }) => ready === true)
    expect((await read())?.status).to.include({ addonsReady: true, healthyNodes: 3 })
  })

  it('is not written when a node changes in what does not matter', async () => {
    const before = writes
    const { metadata } = await client.patch(
      { type: coreTypes.node, name },
      { metadata: { labels: { 'other.example.com/rack': 'r1' } } },
    )
    await eventually(
      'the change is observed',
      () => watched.nodes.get(name)?.metadata.resourceVersion === metadata.resourceVersion,
      waitMs,
    )
    await sleep(lookedMs)
    expect(writes).to.equal(before)
  })

  it('is made again when it is deleted', async () => {
    const uid = (await read())?.metadata.uid
    await client.delete(ref)
    await eventually(
      'another record is there',
      async () => ![undefined, uid].includes((await read())?.metadata.uid),
      waitMs,
    )
    await becomes('it tells the nodes', ({ healthyNodes }) => healthyNodes !== undefined)
  })

  it('is written although the first try fails', async () => {
    refusals = 1
    await client.delete({ type: coreTypes.ingressClass, name: ingressClass })
    await eventually(
      'the write is refused, or another worker was first',
      async () => refusals === 0 || (await read())?.status?.addonsReady === false,
      waitMs,
    )
    await becomes('the ingress class is missed', ({ addonsReady }) => addonsReady === false)
  })
})
