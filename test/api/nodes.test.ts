/** Nodes as callers see them, and their placement as it is written on the nodes of a real cluster. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { ClusterError } from '../../cluster/objects/errors.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { TaggedNode } from '../../kinds/placement/node-tags.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { placeNode } from '../../records/nodes/place-node.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type TestApi } from './test-api.ts'

type Node = KubeObject & TaggedNode

describe('nodes', () => {
  let api: TestApi
  let client: ClusterClient
  let admin: string
  const name = `tagged-${randomBytes(3).toString('hex')}`
  const project = `proj-${randomBytes(4).toString('hex')}`

  before(async function () {
    this.timeout(60_000)
    client = (await useStack()).client
    // The taint keeps pods of other tests off the node.
    const labels = { 'node-role.kubernetes.io/control-plane': '', 'kubernetes.io/hostname': name }
    const taints = [{ key: 'other.example.com/gpu', effect: 'NoSchedule' }]
    const status = { allocatable: { cpu: '8', memory: '32Gi' }, capacity: { cpu: '8', memory: '32Gi' } }
    await client.create(coreTypes.node, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels },
      spec: { unschedulable: true, taints },
      status,
    } as Node)
    await client.create<Project>(resourceTypes.project, {
      apiVersion,
      kind: 'SvcProject',
      metadata: { name: project, namespace: systemNamespace },
      spec: {
        displayName: `bank ${name}`,
        environments: ['production'],
        region: name,
        requiredTags: ['gdpr'],
      } as unknown as Project['spec'], // the cluster fills in the defaults
    })
    api = await startTestApi()
    admin = await api.token({ role: 'admin' })
  })
  after(async () => {
    await api.stop()
    await client.delete({ type: coreTypes.node, name })
    await client.delete({ type: resourceTypes.project, namespace: systemNamespace, name: project })
  })

  const place = (json: object, { of = name, headers = {} }: { of?: string; headers?: Record<string, string> } = {}) =>
    api.ask('POST', `/api/v1/nodes/${of}/placement`, { token: admin, json, headers })
  const ifMatch = (version: string) => ({ headers: { 'If-Match': `"${version}"` } })
  const listed = async (path = '/api/v1/nodes') => {
    const { body } = await api.ask('GET', path, { token: admin })
    return body.items.find((node: { name: string }) => node.name === name)
  }
  const written = async () => {
    const node = await client.get<Node>({ type: coreTypes.node, name })
    const labels = Object.entries(node?.metadata.labels ?? {}).filter(([key]) => /svc\.dev|topology/.test(key))
    // The cluster adds and removes its own taints as its view of the node changes.
    const taints = (node?.spec?.taints ?? [])
      .filter(({ key }) => !key.startsWith('node.kubernetes.io/'))
      .map(({ key, effect }) => `${key}:${effect}`)
    return { labels: Object.fromEntries(labels), taints }
  }

  it('GET /api/v1/nodes and GET /api/nodes list every node with what it is and has', async () => {
    await eventually('the node is ready', async () => (await listed())?.ready === true, 20_000)
    const { version, ...node } = await listed()
    expect(version).to.match(/^[0-9a-f]{24}$/)
    expect(node).to.deep.equal({
      name,
      ready: true,
      schedulable: false,
      controlPlane: true,
      region: '',
      zone: '',
      tags: [],
      cpu: '8',
      memory: '32Gi',
    })
    expect(await listed('/api/nodes')).to.have.property('name', name)
  })

  it('POST /api/v1/nodes/{name}/placement writes labels and taints and is read back at once', async () => {
    const answer = await place({ region: name, zone: 'z-1', tags: ['fast'], reserved: ['gpu'], compliance: ['gdpr'] })
    expect([answer.status, answer.body]).to.deep.equal([200, { ok: true, warnings: [] }])
    expect(await listed()).to.deep.include({
      region: name,
      zone: 'z-1',
      tags: [
        { name: 'fast', reserved: false, compliance: false },
        { name: 'gdpr', reserved: true, compliance: true },
        { name: 'gpu', reserved: true, compliance: false },
      ],
    })
    expect(await written()).to.deep.equal({
      labels: {
        'topology.kubernetes.io/region': name,
        'topology.kubernetes.io/zone': 'z-1',
        'svc.dev/tag-fast': 'true',
        'svc.dev/tag-gdpr': 'true',
        'svc.dev/tag-gpu': 'true',
        'svc.dev/compliance-gdpr': 'true',
      },
      taints: [
        'other.example.com/gpu:NoSchedule',
        'svc.dev/reserved-gdpr:NoSchedule',
        'svc.dev/reserved-gpu:NoSchedule',
      ],
    })
  })

  it('POST /api/v1/nodes/{name}/placement replaces all and says which project loses its tags', async () => {
    const answer = await place({ region: name, tags: ['slow'] })
    expect(answer.body).to.deep.equal({
      ok: true,
      warnings: [`project bank ${name} requires tags it no longer has: no node in region ${name} carries the tag gdpr`],
    })
    expect(await written()).to.deep.equal({
      labels: { 'topology.kubernetes.io/region': name, 'svc.dev/tag-slow': 'true' },
      taints: ['other.example.com/gpu:NoSchedule'],
    })
  })

  it('GET /api/nodes/{name}/placement/warnings says the same before it is saved, and writes nothing', async () => {
    await place({ region: name, compliance: ['gdpr'] })
    const before = await written()
    const path = `/api/nodes/${name}/placement/warnings?region=${name}&tags=slow&tags=fast`
    expect((await api.ask('GET', path, { token: admin })).body).to.deep.equal({
      warnings: [`project bank ${name} requires tags it no longer has: no node in region ${name} carries the tag gdpr`],
    })
    expect(await written()).to.deep.equal(before)
    expect((await api.ask('GET', path.replace(name, 'nowhere'), { token: admin })).status).to.equal(404)
  })

  it('POST /api/v1/nodes/{name}/placement with the version of an earlier placement is refused, and one of now is not', async () => {
    const { version } = await listed()
    await client.patch({ type: coreTypes.node, name }, { metadata: { labels: { 'other.example.com/rack': 'r6' } } })
    const theirs = await place({ tags: ['theirs'] }, ifMatch(version))
    expect(theirs.status, theirs.text).to.equal(200)
    const mine = await place({ tags: ['mine'] }, ifMatch(version))
    expect([mine.status, mine.body.error]).to.deep.equal([
      400,
      'the resource was changed by another writer; read it again and retry',
    ])
    expect((await listed()).tags.map((tag: { name: string }) => tag.name)).to.deep.equal(['theirs'])
    const again = await place({ tags: ['mine'] }, ifMatch((await listed()).version))
    expect(again.status, again.text).to.equal(200)
  })

  it('POST /api/nodes/{name}/placement takes repeated fields and lists with commas', async () => {
    const form = { region: 'eu', tags: ['a', 'b,c'], reserved: 'd' }
    const answer = await api.ask('POST', `/api/nodes/${name}/placement`, { token: admin, form })
    expect(answer.status).to.equal(200)
    expect((await listed()).tags.map((tag: { name: string }) => tag.name)).to.deep.equal(['a', 'b', 'c', 'd'])
  })

  const sixteen = Array.from({ length: 16 }, (_, index) => `t${index}`)
  const refused: [string, object, string][] = [
    [
      'capitals in a tag',
      { tags: ['Fast'] },
      'a node tag must use lowercase letters, digits, and hyphens, up to 40 characters',
    ],
    [
      'a tag of 41 characters',
      { reserved: ['a'.repeat(41)] },
      'a node tag must use lowercase letters, digits, and hyphens, up to 40 characters',
    ],
    [
      'a tag that ends in a hyphen',
      { compliance: ['a-'] },
      'a node tag must use lowercase letters, digits, and hyphens, up to 40 characters',
    ],
    [
      'a region with a dot',
      { region: 'eu.1' },
      'region must use lowercase letters, digits, and hyphens, up to 40 characters',
    ],
    [
      'a zone of 41 characters',
      { zone: 'z'.repeat(41) },
      'zone must use lowercase letters, digits, and hyphens, up to 40 characters',
    ],
    ['17 tags in one list', { tags: [...sixteen, 'more'] }, 'a node can have at most 16 tags'],
    ['17 tags in all', { tags: sixteen, reserved: ['more'] }, 'a node can have at most 16 tags'],
  ]
  for (const [what, json, error] of refused) {
    it(`POST /api/v1/nodes/{name}/placement refuses ${what} and writes nothing`, async () => {
      const before = await written()
      const answer = await place(json)
      expect([answer.status, answer.body]).to.deep.equal([400, { error, code: 'invalid_request' }])
      expect(await written()).to.deep.equal(before)
    })
  }

  it('POST /api/v1/nodes/{name}/placement takes 16 tags of 40 characters', async () => {
    const tags = sixteen.map((tag) => tag.padEnd(40, 'x'))
    expect((await place({ tags })).status).to.equal(200)
    expect((await listed()).tags).to.have.length(16)
  })

  it('POST /api/v1/nodes/{name}/placement without fields clears everything', async () => {
    expect((await place({})).status).to.equal(200)
    expect(await written()).to.deep.equal({ labels: {}, taints: ['other.example.com/gpu:NoSchedule'] })
  })

  it('POST /api/v1/nodes/{name}/placement of a node that is not there is not found', async () => {
    for (const other of ['nowhere', 'No%2Fwhere']) {
      const answer = await place({}, { of: other })
      expect([answer.status, answer.body]).to.deep.equal([404, { error: 'node not found', code: 'not_found' }])
    }
  })

  it('a placement whose write meets another writer decides again and loses nothing', async () => {
    let patches = 0
    const contended: ClusterClient = {
      ...client,
      async patch(ref, mergePatch, options) {
        patches += 1
        if (patches === 1)
          await client.patch(
            { type: coreTypes.node, name },
            { metadata: { labels: { 'other.example.com/rack': 'r7' } } },
          )
        return await client.patch(ref, mergePatch, options)
      },
    }
    const tags = [{ name: 'late', reserved: true, compliance: false }]
    const { after } = await placeNode<Node>({ client: contended, nodes: { put: () => undefined } }, name, {
      region: '',
      zone: '',
      tags,
    })
    expect(patches).to.equal(2)
    expect(after.metadata.labels).to.include({ 'other.example.com/rack': 'r7', 'svc.dev/tag-late': 'true' })
  })

  it('a placement whose answer was lost is found done', async () => {
    let patches = 0
    const lossy: ClusterClient = {
      ...client,
      async patch(ref, mergePatch, options) {
        patches += 1
        await client.patch(ref, mergePatch, options)
        throw new ClusterError(0, 'Unreachable', 'the answer was lost')
      },
    }
    const { before, after } = await placeNode<Node>({ client: lossy, nodes: { put: () => undefined } }, name, {
      region: 'eu',
      zone: '',
      tags: [],
    })
    expect(patches).to.equal(1)
    expect(before.metadata.labels).to.include({ 'svc.dev/tag-late': 'true' })
    expect(after.metadata.labels)
      .to.include({ 'topology.kubernetes.io/region': 'eu' })
      .and.not.have.property('svc.dev/tag-late')
  })
})
