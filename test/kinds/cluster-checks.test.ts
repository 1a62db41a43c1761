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
import { app, database, deployment, ofSvc, refused, store } from './refused-specs.ts'

interface Stored extends KubeObject {
  spec: Record<string, unknown>
  status?: Record<string, unknown>
}

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

  it('drops unknown fields', async () => {
    const stored = await create('app', 'pruned', app({ surprise: true }))
    expect(stored.spec).not.to.have.property('surprise')
  })

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
