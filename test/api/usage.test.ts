/** The capacity of the cluster and what projects reserve of it; test/api/metrics.test.ts adds what they use. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type TestApi } from './test-api.ts'

const GiB = 1024 ** 3

describe('usage', () => {
  let api: TestApi
  let client: ClusterClient
  let token: string
  let project: string
  let namespace: string
  const node = `usage-${randomBytes(3).toString('hex')}`

  before(async function () {
    this.timeout(60_000)
    client = (await useStack()).client
    api = await startTestApi()
    token = await api.token({ role: 'admin' })
    project = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body.project
    namespace = `${project}-usage`
    const make = (type: (typeof coreTypes)[keyof typeof coreTypes], object: object) =>
      client.create(type, object as KubeObject) // plain objects of the cluster
    await make(coreTypes.namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    await make(coreTypes.node, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: node, labels: { 'topology.kubernetes.io/region': node } },
      // The taint keeps pods of other tests off the node.
      spec: { taints: [{ key: 'other.example.com/usage', effect: 'NoSchedule' }] },
      status: { allocatable: { cpu: '8', memory: '16Gi' }, capacity: { cpu: '8', memory: '16Gi', pods: '100' } },
    })
    for (const name of ['one', 'two']) {
      const resources = { requests: { cpu: '250m', memory: '1Gi' } }
      const spec = {
        nodeName: node,
        containers: [{ name: 'app', image: 'svc/hello:1', resources }],
        terminationGracePeriodSeconds: 0,
      }
      await make(coreTypes.pod, { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec })
    }
    const claim = {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '5Gi' } },
      storageClassName: 'none',
    }
    await make(coreTypes.persistentVolumeClaim, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace },
      spec: claim,
    })
  })
  after(async () => {
    await api.stop()
    for (const name of ['one', 'two']) await client.delete({ type: coreTypes.pod, namespace, name })
    await client.delete({ type: coreTypes.namespace, name: namespace })
    await client.delete({ type: coreTypes.node, name: node })
  })

  const read = async (path: string) => (await api.ask('GET', path, { token })).body
  const mine = async () =>
    (await read('/api/v1/usage')).projects.find((each: { project: string }) => each.project === project)

  it('GET /api/v1/usage and GET /api/usage tell what each project reserves', async () => {
    await eventually(
      'the pods are known',
      async () => (await mine())?.pods === 2 && (await mine()).storageReservedBytes > 0,
      20_000,
    )
    expect(await mine()).to.deep.include({
      pods: 2,
      cpuReservedMillis: 500,
      memoryReservedBytes: 2 * GiB,
      storageReservedBytes: 5 * GiB,
    })
    const body = await read('/api/usage')
    expect(body.platform.pods).to.be.at.least(2)
    expect(body.platform.cpuReservedMillis).to.be.at.least(500)
    expect(body.cpuAllocatableMillis).to.be.at.least(8000)
  })

  it('GET /api/v1/usage counts the nodes, and sums up the regions they name', async () => {
    const regionOf = (body: { regions?: { region: string }[] }) => body.regions?.find(({ region }) => region === node)
    const isCounted = async () =>
      (JSON.stringify(regionOf(await read('/api/v1/usage'))) ?? '').includes('"cpuAllocatableMillis":8000')
    await eventually('the node is ready', isCounted, 20_000)
    const body = await read('/api/v1/usage')
    expect(body.nodes).to.equal((await client.list(coreTypes.node)).items.length)
    expect(regionOf(body)).to.deep.equal({
      region: node,
      nodes: 1,
      cpuAllocatableMillis: 8000,
      memoryAllocatableBytes: 16 * GiB,
      cpuReservedMillis: 500,
      memoryReservedBytes: 2 * GiB,
    })
  })
})
