/** The address at which a worker reaches the server behind a Service, on the real kube-apiserver. */
import { expect } from 'chai'
import { reachableHost } from '../../../activities/kube/service-address.ts'
import type { ClusterClient } from '../../../cluster/client.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { useStack } from '../../harness/stack.ts'

describe('the host of a server', () => {
  let client: ClusterClient
  const made: string[] = []

  before(async () => {
    ;({ client } = await useStack())
  })
  after(async () => {
    for (const name of made) await client.delete({ type: coreTypes.service, namespace: 'default', name })
  })

  const serve = async (name: string, spec: object = {}) => {
    made.push(name)
    const metadata = { name, namespace: 'default' }
    return client.create<KubeObject & { spec: { clusterIP?: string; ports?: object[] } }>(coreTypes.service, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { ports: [{ port: 5432 }], ...spec },
    })
  }

  it('is the number of its Service where that has one', async () => {
    const { spec } = await serve('orders-rw')
    expect(spec.clusterIP).to.match(/^\d+\./)
    expect(await reachableHost(client, 'orders-rw.default.svc')).to.equal(spec.clusterIP)
  })

  it('is its name where the Service has no number, or is not there, and elsewhere', async () => {
    await serve('orders-headless', { clusterIP: 'None' })
    for (const host of ['orders-headless.default.svc', 'nobody.default.svc', 'db.example.com', '127.0.0.1'])
      expect(await reachableHost(client, host)).to.equal(host)
  })
})
