/**
 * The kinds at a real kube-apiserver: it accepts every CRD, fills in defaults, and refuses invalid records with
 * readable messages.
 */
import { expect } from 'chai'
import { ClusterError } from '../../cluster/objects/errors.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { definitions } from '../../kinds/definitions.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes, type ResourceTypeName } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'

interface Stored extends KubeObject {
  spec: Record<string, unknown>
  status?: Record<string, unknown>
}

const app = (change: object = {}) => ({
  project: 'proj-0a1b2c3d',
  environment: 'production',
  source: { image: { image: 'svc/hello:1' } },
  ...change,
})
const database = (change: object = {}) => ({ project: 'proj-0a1b2c3d', environment: 'production', ...change })
const store = (change: object = {}) => ({
  project: 'proj-0a1b2c3d',
  environment: 'production',
  engine: 'Local',
  buckets: ['photos'],
  ...change,
})
const deployment = (change: object = {}) => ({
  app: 'a',
  project: 'proj-0a1b2c3d',
  environment: 'production',
  image: 'x',
  ...change,
})
const volume = { path: '/data', size: '10Gi' }
const secretKeyRef = { name: 'a', key: 'b' }
const ofSvc = 'this Secret belongs to svc itself'

describe('the kinds on a real cluster', function () {
  this.timeout(120_000)
  let client: ClusterClient

  before(async () => {
    client = (await useStack()).client
  })

  const record = (name: ResourceTypeName, objectName: string, spec: object, more: object = {}): Stored => ({
    apiVersion,
    kind: resourceTypes[name].kind,
    metadata: { name: objectName, namespace: systemNamespace },
    spec: { ...spec },
    ...more,
  })
  const create = (name: ResourceTypeName, objectName: string, spec: object, more: object = {}) =>
    client.create(resourceTypes[name], record(name, objectName, spec, more))
  const ref = (name: ResourceTypeName, objectName: string) => ({
    type: resourceTypes[name],
    namespace: systemNamespace,
    name: objectName,
  })

  async function refusal(work: Promise<unknown>): Promise<string> {
    try {
      await work
    } catch (error) {
      if (error instanceof ClusterError && error.reason === 'Invalid') return error.message
      throw error
    }
    throw new Error('the cluster took it')
  }

  it('takes every CRD as structural', async () => {
    for (const { type } of Object.values(definitions)) {
      const crd = await client.get<KubeObject & { status: { conditions: { type: string; status: string }[] } }>({
        type: coreTypes.customResourceDefinition,
        name: `${type.plural}.${type.group}`,
      })
      const conditions = Object.fromEntries(crd?.status.conditions.map((it) => [it.type, it.status]) ?? [])
      expect(conditions, type.kind).to.deep.include({ Established: 'True', NamesAccepted: 'True' })
      expect(conditions, type.kind).not.to.have.property('NonStructuralSchema')
    }
  })

  it('fills in what the schema of a kind fills in', async () => {
    const cases: [ResourceTypeName, string, object][] = [
      ['app', 'defaults', app({ autoscaling: {}, deploy: { readinessProbe: {} } })],
      ['project', 'proj-00000001', { environments: ['production'] }],
      ['database', 'defaults', database()],
      ['objectStore', 'defaults', store()],
      ['build', 'defaults', { app: 'a', project: 'proj-0a1b2c3d', environment: 'production', repository: 'o/r' }],
      ['platformConfig', 'platform', {}],
    ]
    for (const [name, objectName, spec] of cases) {
      const stored = await create(name, objectName, spec)
      expect(stored.spec, name).to.deep.equal(definitions[name].spec.parse(spec))
    }
  })

  it('drops fields nobody knows', async () => {
    const stored = await create('app', 'pruned', app({ surprise: true }))
    expect(stored.spec).not.to.have.property('surprise')
  })

  const refused: [string, ResourceTypeName, string, object, string][] = [
    [
      'a service of two sources',
      'app',
      'a',
      app({ source: { image: {}, git: {} } }),
      'set exactly one of image, git and function',
    ],
    ['a service of no source', 'app', 'a', app({ source: {} }), 'set exactly one of image, git and function'],
    ['1001 copies', 'app', 'a', app({ replicas: 1001 }), 'spec.replicas'],
    ['port 0', 'app', 'a', app({ port: 0 }), 'spec.port'],
    [
      'minReplicas over maxReplicas',
      'app',
      'a',
      app({ autoscaling: { minReplicas: 4, maxReplicas: 3 } }),
      'minReplicas must not exceed maxReplicas',
    ],
    ['29 idle seconds', 'app', 'a', app({ scaleToZero: { idleSeconds: 29 } }), 'spec.scaleToZero.idleSeconds'],
    [
      'a variable with two values',
      'app',
      'a',
      app({ env: [{ name: 'A', value: 'x', valueFrom: { secretKeyRef } }] }),
      'set value or valueFrom, not both',
    ],
    [
      'a deployed service without an image',
      'app',
      'a',
      app({ source: { image: {} }, deploy: { enabled: true } }),
      'a deployed service needs an image',
    ],
    [
      'a function with a volume',
      'app',
      'a',
      app({ source: { function: {} }, volume }),
      'a function cannot have a volume',
    ],
    ...[{ replicas: 2 }, { autoscaling: {} }, { scaleToZero: { maxReplicas: 2 } }].map(
      (scaled): [string, ResourceTypeName, string, object, string] => [
        `a volume beside ${JSON.stringify(scaled)}`,
        'app',
        'a',
        app({ ...scaled, volume }),
        'a service with a volume runs one copy',
      ],
    ),
    ...['/proc/1', '/etc', '/var/run/app'].map((path): [string, ResourceTypeName, string, object, string] => [
      `a volume at ${path}`,
      'app',
      'a',
      app({ volume: { ...volume, path } }),
      'must not be in /proc, /sys, /dev, /etc, /run, /var/run',
    ]),
    ...['/', 'data', '/data/', '/a/../b', '/a:b'].map((path): [string, ResourceTypeName, string, object, string] => [
      `a volume at ${path}`,
      'app',
      'a',
      app({ volume: { ...volume, path } }),
      'spec.volume.path',
    ]),
    [
      'nine schedules',
      'app',
      'a',
      app({
        source: {
          function: { triggers: Array.from({ length: 9 }, (_, n) => ({ name: `t${n}`, schedule: '@daily' })) },
        },
      }),
      'spec.source.function.triggers',
    ],
    ['a service of a foreign project name', 'app', 'a', app({ project: 'kube-system' }), 'spec.project'],
    [
      'a quantity that is none',
      'app',
      'a',
      app({ resources: { requests: { cpu: 'much' } } }),
      'spec.resources.requests.cpu',
    ],
    [
      'a project of another name',
      'project',
      'kube',
      { environments: ['production'] },
      'the name of a project must be proj- and 8 hexadecimal digits',
    ],
    ['a project without environments', 'project', 'proj-00000002', { environments: [] }, 'spec.environments'],
    [
      'an environment name that does not fit',
      'project',
      'proj-00000002',
      { environments: ['a'.repeat(50)] },
      'project ID plus environment name must be at most 63 characters',
    ],
    [
      'an environment that is no DNS label',
      'project',
      'proj-00000002',
      { environments: ['Prod'] },
      'spec.environments[0]',
    ],
    [
      'nine required tags',
      'project',
      'proj-00000002',
      { environments: ['a'], requiredTags: Array.from({ length: 9 }, (_, n) => `t${n}`) },
      'spec.requiredTags',
    ],
    [
      '26 pull-request environments',
      'project',
      'proj-00000002',
      { environments: ['a'], pullRequestEnvironments: { maxOpen: 26 } },
      'maxOpen',
    ],
    [
      'a shared variable with two values',
      'project',
      'proj-00000002',
      { environments: ['a'], sharedVariables: [{ name: 'A', value: 'x', secretRef: secretKeyRef }] },
      'set exactly one of value and secretRef',
    ],
    [
      'a database with half an owner',
      'database',
      'a',
      { project: 'proj-0a1b2c3d' },
      'set project and environment together, or neither',
    ],
    [
      'a highly available redis',
      'database',
      'a',
      database({ engine: 'redis', highAvailability: true }),
      'high availability needs the engine postgres',
    ],
    [
      'a bucket that looks like an address',
      'objectStore',
      'a',
      store({ buckets: ['10.0.0.1'] }),
      'a bucket name must not look like an IPv4 address',
    ],
    [
      'a bucket with two dots',
      'objectStore',
      'a',
      store({ buckets: ['a..b'] }),
      'a bucket name must not contain two dots in a row',
    ],
    [
      'nine node tags of the object server',
      'objectStore',
      'a',
      { runOn: { tags: Array.from({ length: 9 }, (_, n) => `t${n}`) } },
      'spec.runOn.tags',
    ],
    [
      '33 buckets',
      'objectStore',
      'a',
      store({ buckets: Array.from({ length: 33 }, (_, n) => `bucket-${n}`) }),
      'spec.buckets',
    ],
    [
      'a remote server of the whole cluster',
      'objectStore',
      'a',
      { engine: 'Remote' },
      'a store without a project is the object server of the cluster',
    ],
    [
      'a connection limit of 1001',
      'logicalDatabase',
      'a',
      { project: 'p', environment: 'a', serverRef: 's', databaseName: 'd', connectionLimit: 1001 },
      'spec.connectionLimit',
    ],
    ['a record without a project', 'deployment', 'a', deployment({ project: '' }), 'spec.project'],
    [
      'a service with the users for its variables',
      'app',
      'a',
      app({ secretRef: { name: 'svc-dashboard-auth' } }),
      ofSvc,
    ],
    [
      'a service with an API token for its variables',
      'app',
      'a',
      app({ secretRef: { name: 'svc-token-0a1b2c3d4e5f' } }),
      ofSvc,
    ],
    [
      'a shared variable out of a setting of the platform',
      'project',
      'proj-00000002',
      {
        environments: ['a'],
        sharedVariables: [{ name: 'A', secretRef: { name: 'platform-githost', key: 'private_key' } }],
      },
      ofSvc,
    ],
    [
      'a database with the token of the tunnel for its password',
      'database',
      'a',
      database({ placement: 'External', externalPasswordRef: { name: 'svc-tunnel', key: 'token' } }),
      ofSvc,
    ],
    [
      'a cloud account with the keys of the DNS provider',
      'cloudConnection',
      'a',
      { project: 'proj-0a1b2c3d', secretRef: { name: 'platform-dns-provider' } },
      ofSvc,
    ],
    [
      'a second platform configuration',
      'platformConfig',
      'other',
      {},
      'the platform configuration must be named platform',
    ],
    [
      'a dashboard address with a path',
      'platformConfig',
      'platform',
      { dashboardURL: 'https://svc.example.com/x' },
      'spec.dashboardURL',
    ],
  ]
  for (const [what, name, objectName, spec, words] of refused) {
    it(`refuses ${what}`, async () => {
      expect(await refusal(create(name, objectName, spec))).to.include(words)
    })
  }

  it('takes a Secret of svc by name where it only begins like one, or was named before the rule came', async () => {
    expect(await create('app', 'svc-tunnel', app({ secretRef: { name: 'svc-tunnel-secrets' } }))).to.have.property(
      'metadata',
    )
    const { type } = definitions.app
    const named = { type: coreTypes.customResourceDefinition, name: `${type.plural}.${type.group}` }
    const whole = await client.get<KubeObject>(named)
    const isOurs = ({ message }: { message: string }): boolean => message === ofSvc
    const without = JSON.parse(JSON.stringify(whole), (key, value: unknown) =>
      key === 'x-kubernetes-validations' && (value as { message: string }[]).some(isOurs) ? undefined : value,
    ) as KubeObject
    await client.replace(named.type, without)
    try {
      const old = app({ secretRef: { name: 'svc-dashboard-auth' } })
      await eventually(
        'the rule is gone',
        async () => (await create('app', 'older', old).catch(() => undefined)) !== undefined,
      )
    } finally {
      const now = await client.get<KubeObject>(named)
      await client.replace(named.type, { ...whole, metadata: { ...whole?.metadata, ...now?.metadata } } as KubeObject)
    }
    const older = ref('app', 'older')
    const naming = (name: string): Promise<string> =>
      client.patch(older, { spec: { secretRef: { name } } }).then(() => 'taken', String)
    let turns = 0
    await eventually('the rule is there', async () => (await naming(`svc-token-${(turns += 1)}`)).includes(ofSvc))
    await client.patch(older, { status: { url: 'http://x' } }, { subresource: 'status' })
    const edited = await client.patch<Stored>(older, { spec: { replicas: 2 } })
    expect(edited.spec).to.deep.include({
      replicas: 2,
      secretRef: { name: turns > 1 ? `svc-token-${turns - 1}` : 'svc-dashboard-auth' },
    })
  })

  it('keeps status apart from the spec, but writes both of a deployment record at once', async () => {
    const status = { phase: 'Recorded' }
    expect(await create('deployment', 'with-status', deployment(), { status })).to.deep.include({ status })
    const made = await create('app', 'without-status', app(), { status: { url: 'http://x' } })
    expect(made.status).to.equal(undefined)
    const patched = await client.patch<Stored>(
      ref('app', 'without-status'),
      { spec: { port: 1 }, status: { url: 'http://x' } },
      { subresource: 'status' },
    )
    expect(patched.status).to.deep.equal({ url: 'http://x' })
    expect(patched.spec['port']).to.equal(8080)
  })

  it('fixes the cluster of a project once it was observed', async () => {
    const project = ref('project', 'proj-00000003')
    await create('project', project.name, { environments: ['production'] })
    await client.patch(project, { spec: { clusterRef: { name: 'other' } } })
    await client.patch(project, { status: { clusterRef: 'other' } }, { subresource: 'status' })
    const words = await refusal(client.patch(project, { spec: { clusterRef: { name: 'third' } } }))
    expect(words).to.include('clusterRef cannot change once the project is on a cluster')
  })

  it('fixes the engine of a deployed database', async () => {
    const ours = ref('database', 'engine')
    await create('database', ours.name, database())
    await client.patch(ours, { spec: { engine: 'mysql', deploy: { enabled: true } } })
    expect(await refusal(client.patch(ours, { spec: { engine: 'redis' } }))).to.include(
      'the engine of a deployed database cannot change',
    )
  })
})
