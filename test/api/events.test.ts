/** What the change stream says of which change. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { eventCoalesceMs } from '../../contract/limits.ts'
import { merge } from '../../api/events/change.ts'
import { annotations, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { bearer, listenToChanges } from './listen-changes.ts'
import { startTestApi, type TestApi } from './test-api.ts'

const names = ['proj-0b0b0b01', 'proj-0b0b0b02', 'proj-0b0b0b03']

describe('the change stream', () => {
  let api: TestApi
  let client: ClusterClient
  let token: string
  /** Records from before the test: the stream may still report their deletion, which the test ignores. */
  const earlier = new Set<string>()

  const remember = () => {
    const { projects, apps, databases, objectStores } = api.needs.caches
    for (const { metadata } of [projects, apps, databases, objectStores].flatMap((cache): readonly KubeObject[] =>
      cache.list(),
    ))
      earlier.add(metadata.name)
  }
  before(async function () {
    this.timeout(60_000)
    client = (await useStack()).client
    // A worker makes the one report on availability, which stays without it.
    for (const [type, name] of oneOfEach) await client.delete({ type, namespace: systemNamespace, name })
    api = await startTestApi()
    token = await api.token({ role: 'viewer' })
    remember()
  })
  after(() => api.stop())
  afterEach(async () => {
    remember()
    for (const name of names) await client.delete(ref(name))
  })

  it('sends connected first, then kind, name and operation of each change', async () => {
    const stream = await listen()
    await client.create(resourceTypes.project, project(names[0] ?? ''))
    await eventually('the project has arrived', () => stream.changes.length === 1)
    await client.patch(ref(names[0] ?? ''), { metadata: { annotations: { [annotations.attempt]: '{"record":"x"}' } } })
    await eventually('the deploy has arrived', () => stream.changes.length === 2)
    await client.delete(ref(names[0] ?? ''))
    await eventually('the deletion has arrived', () => stream.changes.length === 3)
    expect(stream.text).to.match(/^event: connected\ndata: \{"type":"connected"\}\n\n/)
    expect(stream.changes).to.deep.equal([
      { type: 'change', resource: 'projects', name: names[0], op: 'add' },
      { type: 'change', resource: 'projects', name: names[0], op: 'deploy' },
      { type: 'change', resource: 'projects', name: names[0], op: 'delete' },
    ])
    stream.close()
  })

  it('sends a burst of changes to one record as one event', async () => {
    const name = names[1] ?? ''
    await client.create(resourceTypes.project, project(name))
    const stream = await listen()
    const startedAt = performance.now()
    const edits = Array.from({ length: 20 }, (_, n) =>
      client.patch(ref(name), { metadata: { annotations: { 'svc.dev/n': String(n) } } }),
    )
    await Promise.all(edits)
    await eventually('something has arrived', () => stream.changes.length > 0)
    await new Promise((resolve) => {
      setTimeout(resolve, 2 * eventCoalesceMs)
    })
    // The creation, the first edit at once, then one event per window, however long the edits took.
    const windows = Math.ceil((performance.now() - startedAt) / eventCoalesceMs)
    expect(stream.changes.length).to.be.at.most(2 + windows)
    stream.close()
  })

  it('names every kind of record by its word', async () => {
    const stream = await listen()
    for (const [type, name, spec] of oneOfEach)
      await client.create(type, { apiVersion, kind: type.kind, metadata: { name, namespace: systemNamespace }, spec })
    await eventually('all have arrived', () => stream.changes.length >= oneOfEach.length)
    for (const [type, name] of oneOfEach) await client.delete({ type, namespace: systemNamespace, name })
    await eventually(
      'and their ends',
      () => stream.changes.filter(({ op }) => op === 'delete').length === oneOfEach.length,
    )
    const seen = (op: string) =>
      stream.changes.filter((change) => change['op'] === op).map(({ resource, name }) => [resource, name])
    const expected = oneOfEach.map(([, name, , resource]) => [resource, name])
    expect(seen('add')).to.have.deep.members(expected)
    expect(seen('delete')).to.have.deep.members(expected)
    stream.close()
  })

  it('sends each request with its own operation: create, deploy, retry-provision', async () => {
    const { changes, close } = await listen().then((stream) => ({
      changes: () => stream.changes.map(({ op }) => op),
      close: stream.close,
    }))
    const name = 'bold-bittern'
    const app = { type: resourceTypes.app, namespace: systemNamespace, name }
    const spec = { project: names[0], environment: 'production', source: { image: { image: 'svc/hello:1' } } }
    const note = (key: string, value: string) => ({ metadata: { annotations: { [key]: value } } })
    const draft = note(annotations.pendingChanges, 'created').metadata
    await client.create(resourceTypes.app, {
      apiVersion,
      kind: 'SvcApp',
      metadata: { name, namespace: systemNamespace, ...draft },
      spec,
    })
    await eventually('the draft has arrived', () => changes().length === 1)
    await client.patch(app, note('svc.dev/display-name', 'Bittern'))
    await eventually('the edit has arrived', () => changes().length === 2)
    await client.patch(app, note(annotations.attempt, '{"record":"y"}'))
    await eventually('the deploy has arrived', () => changes().length === 3)
    await client.patch(app, note(annotations.retry, 'again'))
    await eventually('the retry has arrived', () => changes().length === 4)
    await client.delete(app)
    await eventually('the end has arrived', () => changes().length === 5)
    expect(changes()).to.deep.equal(['create', 'update', 'deploy', 'retry-provision', 'delete'])
    close()
  })

  it('says of an update to those who ask what it left as it was', async () => {
    const [parted, plain] = [await listen('?parts=on'), await listen()]
    const name = 'calm-curlew'
    const app = { type: resourceTypes.app, namespace: systemNamespace, name }
    const url = (value: string) => client.patch(app, { status: { url: value } }, { subresource: 'status' })
    await client.create(resourceTypes.app, {
      apiVersion,
      kind: 'SvcApp',
      metadata: { name, namespace: systemNamespace },
      spec: { project: names[0], environment: 'production', source: { image: { image: 'svc/hello:1' } } },
    })
    await eventually('it has arrived', () => parted.changes.length === 1)
    await url('http://one.example.test')
    await eventually('the status has arrived', () => parted.changes.length === 2)
    await client.patch(app, { metadata: { annotations: { [annotations.displayName]: 'Curlew' } } })
    await eventually('the label has arrived', () => parted.changes.length === 3)
    await client.patch(app, { spec: { port: 9000 } })
    await eventually('the setting has arrived', () => parted.changes.length === 4)
    expect(parted.changes.map(({ part }) => part)).to.deep.equal([undefined, 'status', 'metadata', undefined])
    // Both within one window: a message of both.
    await url('http://two.example.test')
    await eventually('the first has arrived', () => parted.changes.length === 5)
    await Promise.all([url('http://three.example.test'), client.patch(app, { spec: { port: 9001 } })])
    await eventually('both have arrived', () => parted.changes.length === 6)
    expect(parted.changes.slice(4).map(({ part }) => part)).to.deep.equal(['status', undefined])
    expect(plain.changes.some((change) => 'part' in change)).to.equal(false)
    await client.delete(app)
    // Seen by every listener of this api, so a later one begins after it.
    await eventually('the end has arrived', () => parted.changes.length === 7)
    parted.close()
    plain.close()
  })

  it('calls a node that looks different `resources`, and says nothing of one that only reports', async () => {
    const stream = await listen()
    const [node] = api.needs.caches.nodes.list()
    const ref = { type: coreTypes.node, name: node?.metadata.name ?? '' }
    await client.patch(ref, { metadata: { annotations: { 'svc.dev/test': 'nothing that is shown' } } })
    await client.patch(ref, { metadata: { labels: { 'svc.dev/tag-test': 'true' } } })
    await eventually('the node has arrived', () => stream.changes.length === 1)
    expect(stream.changes).to.deep.equal([{ type: 'change', resource: 'resources', name: ref.name, op: 'update' }])
    await client.patch(ref, {
      metadata: { annotations: { 'svc.dev/test': null }, labels: { 'svc.dev/tag-test': null } },
    })
    await eventually('so is what it was before', () => stream.changes.length === 2)
    stream.close()
  })

  it('sends a status change when the number of ready copies changes; merged with a deletion it stays a deletion', async () => {
    const stream = await listen('?parts=on')
    const name = 'keen-kestrel'
    const workload = { type: coreTypes.deployment, namespace: 'default', name }
    const pods = { labels: { 'svc.dev/test': name } }
    const spec = {
      replicas: 0,
      selector: { matchLabels: pods.labels },
      template: { metadata: pods, spec: { containers: [{ name: 'app', image: 'svc/hello:1' }] } },
    }
    const metadata = { name, namespace: workload.namespace, labels: { [labels.managedBy]: managedBySvc } }
    const made: KubeObject & { spec: object } = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }
    const change = { type: 'change', resource: 'apps', name, op: 'update', part: 'status' }
    await client.create(coreTypes.deployment, made)
    await eventually('the copies have arrived', () => stream.changes.length === 1)
    await client.patch(workload, { metadata: { annotations: { 'svc.dev/test': 'nothing that is shown' } } })
    await client.patch(workload, { status: { replicas: 1, readyReplicas: 1 } }, { subresource: 'status' })
    await eventually('the ready one has arrived', () => stream.changes.length >= 2)
    expect(stream.changes.slice(0, 2)).to.deep.equal([change, change])
    await client.delete(workload)
    stream.close()
    const update = { ...change, type: 'change', op: 'update', part: 'status' } as const
    const deleted = { type: 'change', resource: 'apps', name, op: 'delete' } as const
    expect(merge(deleted, update)).to.deep.equal(deleted)
    expect(merge(update, deleted)).to.deep.equal(deleted)
  })

  it('says nothing of tokens and pods', async () => {
    const stream = await listen()
    await api.token({ role: 'viewer' })
    await client.create(resourceTypes.project, project(names[2] ?? ''))
    await eventually('the project has arrived', () => stream.changes.length > 0)
    expect(stream.changes.map(({ resource }) => resource)).to.deep.equal(['projects'])
    stream.close()
  })

  async function listen(query = '') {
    const stream = await listenToChanges(api.baseUrl, bearer(token), query)
    return {
      ...stream,
      get text() {
        return stream.text
      },
      get changes() {
        return stream.changes.filter(({ name = '' }) => !earlier.has(name))
      },
    }
  }
})

const place = { project: 'proj-0b0b0b0b', environment: 'production' }

/** Type, name, a spec that the cluster accepts, and the stream's name for the kind. */
const oneOfEach: [ResourceType, string, object, string][] = [
  [resourceTypes.project, 'proj-0b0b0b0b', { environments: ['production'] }, 'projects'],
  [resourceTypes.app, 'each-app', { ...place, source: { image: { image: 'svc/hello:1' } } }, 'apps'],
  [resourceTypes.database, 'each-database', place, 'databases'],
  [
    resourceTypes.logicalDatabase,
    'each-logical',
    { ...place, serverRef: 'each-database', databaseName: 'each' },
    'logical-databases',
  ],
  [resourceTypes.objectStore, 'each-store', { ...place, engine: 'Local' }, 'object-stores'],
  [resourceTypes.deployment, 'each-app-1a2b3', { ...place, app: 'each-app', image: 'svc/hello:1' }, 'deployments'],
  [
    resourceTypes.build,
    'each-build',
    { ...place, app: 'each-app', repository: 'https://git.example.com/each.git' },
    'builds',
  ],
  [
    resourceTypes.cloudConnection,
    'each-connection',
    { project: 'proj-0b0b0b0b', secretRef: { name: 'each' } },
    'cloud-connections',
  ],
  [resourceTypes.cluster, 'each-cluster', {}, 'clusters'],
  [resourceTypes.platformConfig, 'platform', {}, 'platform-config'],
  [resourceTypes.haReadiness, 'platform', {}, 'ha-readiness'],
  [
    resourceTypes.backupArchive,
    'each-archive',
    { ...place, database: 'd', engine: 'postgres', connectionRef: { name: 'c' }, bucket: 'bbb' },
    'backup-archives',
  ],
]

const ref = (name: string) => ({ type: resourceTypes.project, namespace: systemNamespace, name })

function project(name: string): Project {
  return {
    apiVersion,
    kind: 'SvcProject',
    metadata: { name, namespace: systemNamespace },
    spec: { displayName: name, environments: ['production'] } as Project['spec'], // the cluster fills in the defaults
  }
}
