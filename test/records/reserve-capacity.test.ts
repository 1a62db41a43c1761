/** Reservations of capacity: written together, kept until the copies exist, and never counted twice. */
import type { V1ConfigMap } from '@kubernetes/client-node'
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { ClusterError } from '../../cluster/objects/errors.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import type { PodRequestView } from '../../kinds/apps/deploy/capacity.ts'
import { appSpec } from '../../kinds/apps/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { createCapacityReserver, reservationsName } from '../../records/apps/reserve-capacity.ts'
import { useStack } from '../harness/stack.ts'

const nodes = [
  {
    metadata: { name: 'one' },
    status: { allocatable: { cpu: '1', memory: '1Gi' }, conditions: [{ type: 'Ready', status: 'True' }] },
  },
]

const wanted = (replicas: number, cpu = '100m') =>
  appSpec.parse({
    project: 'proj-00000001',
    environment: 'production',
    source: { image: { image: 'a:1' } },
    replicas,
    resources: { requests: { cpu, memory: '1Mi' } },
  })

const podsFor = (app: string, count: number, namespace = 'proj-00000001-production'): PodRequestView[] =>
  Array.from({ length: count }, (_, index) => ({
    metadata: { name: `${app}-${index}`, namespace, labels: { [labels.app]: app } },
    spec: { nodeName: 'one', containers: [{ resources: { requests: { cpu: '100m', memory: '1Mi' } } }] },
    status: { phase: 'Running' },
  }))

describe('Promises of capacity', () => {
  let client: ClusterClient
  let pods: PodRequestView[] = []
  let now = 0

  before(async function () {
    this.timeout(60_000)
    client = (await useStack()).client
  })
  beforeEach(forget)
  after(forget)

  async function forget(): Promise<void> {
    pods = []
    now = Date.now()
    await client.delete({ type: coreTypes.configMap, namespace: systemNamespace, name: reservationsName })
  }
  const keeper = (over: Partial<ClusterClient> = {}) =>
    createCapacityReserver({
      client: { ...client, ...over },
      nodes: () => nodes,
      pods: () => pods,
      choiceOf: () => ({ region: '', tags: [] }),
      now: () => now,
    })
  const outcome = (promise: Promise<void>) =>
    promise.then(
      () => 'fits',
      (error: Error) => error.message,
    )

  it('are written together when they arrive together', async () => {
    let writes = 0
    const counted = keeper({
      create: (type, object, options) => {
        writes += 1
        return client.create(type, object, options)
      },
      replace: (type, object, options) => {
        writes += 1
        return client.replace(type, object, options)
      },
    })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => outcome(counted.reserve(`app-${index}`, wanted(1), `a-${index}`))),
    )
    expect(answers.filter((answer) => answer === 'fits')).to.have.length(10)
    expect(answers.filter((answer) => answer !== 'fits')).to.deep.equal(
      Array.from(
        { length: 2 },
        () => 'the cluster has no capacity: 100m CPU and 1Mi memory needed, 0m CPU and 1014Mi memory free',
      ),
    )
    expect(writes).to.be.at.most(3)
  })

  it('hold between two processes that know nothing of each other', async () => {
    for (let round = 0; round < 10; round += 1) {
      await forget()
      const answers = await Promise.all([
        outcome(keeper().reserve('a', wanted(6), '1')),
        outcome(keeper().reserve('b', wanted(6), '2')),
      ])
      expect(
        answers.filter((answer) => answer === 'fits'),
        `round ${round}`,
      ).to.have.length(1)
    }
  })

  it('are freed bit by bit as the copies come to exist', async () => {
    const capacity = keeper()
    await capacity.reserve('a', wanted(6), '1')
    expect(await outcome(capacity.reserve('b', wanted(5), '2'))).to.match(/no capacity/)
    pods = podsFor('a', 3)
    expect(await outcome(capacity.reserve('b', wanted(5), '3'))).to.match(/no capacity/)
    expect(await outcome(capacity.reserve('b', wanted(4), '4'))).to.equal('fits')
  })

  it('a redeploy of the same size writes nothing', async () => {
    pods = podsFor('a', 10)
    const capacity = keeper({
      create: () => Promise.reject(new Error('written')),
      replace: () => Promise.reject(new Error('written')),
    })
    expect(await outcome(capacity.reserve('a', wanted(10), '1'))).to.equal('fits')
  })

  it('a refusal is decided by an uncached read', async () => {
    const capacity = keeper()
    await capacity.reserve('a', wanted(6), '1')
    // Another process ends the reservation of a.
    await client.delete({ type: coreTypes.configMap, namespace: systemNamespace, name: reservationsName })
    expect(await outcome(capacity.reserve('b', wanted(6), '2'))).to.equal('fits')
  })

  it('an unreachable cluster refuses with its error, and the next one is decided afresh', async () => {
    let down = true
    const capacity = keeper({
      get: (ref, options) =>
        down ? Promise.reject(new ClusterError(0, 'Unreachable', 'no answer')) : client.get(ref, options),
    })
    expect(await outcome(capacity.reserve('a', wanted(1), '1'))).to.equal('no answer')
    down = false
    expect(await outcome(capacity.reserve('a', wanted(1), '2'))).to.equal('fits')
  })

  it('of which kubectl made something else count as none, and the others count on', async () => {
    await keeper().reserve('a', wanted(6), '1')
    const ref = { type: coreTypes.configMap, namespace: systemNamespace, name: reservationsName }
    const kept = (await client.get<Sent<V1ConfigMap>>(ref))?.data?.['promises'] ?? '[]'
    const endless = { attempt: '2', app: 'b', cpuMillis: 'all', memoryBytes: null, expiresAt: now + 60_000 }
    const promises = JSON.stringify([null, 'x', endless, ...(JSON.parse(kept) as object[])])
    await client.patch(ref, { data: { promises } })
    expect(await outcome(keeper().reserve('c', wanted(5), '3'))).to.match(/no capacity/)
    expect(await outcome(keeper().reserve('c', wanted(4), '4'))).to.equal('fits')
    for (const text of ['{', 'null', '{}']) {
      await client.patch(ref, { data: { promises: text } })
      expect(await outcome(keeper().reserve('c', wanted(10), '5')), text).to.equal('fits')
    }
  })
})
