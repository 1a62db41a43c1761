/** A real kube-apiserver is killed and restarted: the cache catches up by itself and misses nothing. */
import type { V1ConfigMap } from '@kubernetes/client-node'
import { expect } from 'chai'
import { ResourceCache } from '../../cluster/cache/cache.ts'
import { isUnreachable } from '../../cluster/objects/errors.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { useStack, type Stack } from '../harness/stack.ts'
import { eventually } from './eventually.ts'

type ConfigMap = Sent<V1ConfigMap>

const namespace = 'outage'
const type = coreTypes.configMap
const make = (name: string): ConfigMap => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } })

describe('when the kube-apiserver is killed', () => {
  let stack: Stack
  let cache: ResourceCache<ConfigMap>
  const received: string[] = []
  const health: string[] = []

  before(async function () {
    this.timeout(60_000)
    stack = await useStack()
    await stack.client.apply(coreTypes.namespace, { metadata: { name: namespace } }, { manager: 'test' })
    await stack.client.create(type, make('before'))
    cache = new ResourceCache<ConfigMap>({
      client: stack.client,
      type,
      namespace,
      log: silentLog,
      fieldSelector: 'metadata.name!=kube-root-ca.crt',
      onHealth: ({ state }) => health.push(state),
    })
    cache.onChange((event) => received.push(`${event.type} ${event.object.metadata.name}`))
    await cache.start()
  })

  after(async () => {
    await cache.stop()
    await stack.client.delete({ type: coreTypes.namespace, name: namespace })
  })

  it('answers from its cache meanwhile, and follows again within seconds without a change that arrives twice', async () => {
    const { client, cluster } = stack
    cluster.kill('kube-apiserver', 'SIGKILL')
    await eventually('the loss is noticed', () => health.at(-1) === 'retrying')
    expect(cache.list().map((item) => item.metadata.name)).to.deep.equal(['before'])
    expect(cache.staleMs()).to.be.greaterThan(0)
    const error = await client.create(type, make('lost')).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(isUnreachable(error)).to.equal(true)

    await cluster.restart('kube-apiserver')
    await client.create(type, make('after'))
    await client.delete({ type, namespace, name: 'before' })
    await eventually('the news arrives', () => received.includes('delete before'), 15_000)
    expect(received).to.deep.equal(['add before', 'add after', 'delete before'])
    expect(cache.staleMs()).to.equal(0)
  }).timeout(60_000)
})
