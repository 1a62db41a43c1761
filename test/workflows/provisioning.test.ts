/**
 * The workflow that all provisioned kinds share, tested with buckets without a server: accepted, waiting, failing,
 * edited, deleted, drafts.
 */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { ClusterError } from '../../cluster/objects/errors.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { annotations, finalizers } from '../../kinds/meta/annotations.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { storeState } from '../../kinds/object-stores/draft.ts'
import { type ObjectStore, objectStoreSpec } from '../../kinds/object-stores/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { postgresRecord } from '../kill/data-scenarios.ts'
import { createProject, type TestRecords, until, useRecords } from '../harness/records.ts'
import { useWorker } from '../harness/worker.ts'
import { eventsOf } from './database-world.ts'

const clusterWide = (kind: string, plural: string): ResourceType => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind,
  plural,
  namespaced: false,
})
const admissionPolicy = clusterWide('ValidatingAdmissionPolicy', 'validatingadmissionpolicies')
const admissionBinding = clusterWide('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings')

describe('what is provisioned', function () {
  this.timeout(90_000)
  let records: TestRecords
  let project: Project

  before(async () => {
    records = await useRecords()
    await useWorker()
    project = await createProject(records)
  })

  after(async () => {
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
    await until(records.projects, project, (record) => record === undefined, 'gone')
  })

  const create = (spec: object, notes: Record<string, string> = {}): Promise<ObjectStore> =>
    records.objectStores.create({
      apiVersion,
      kind: resourceTypes.objectStore.kind,
      metadata: { name: `store-${randomBytes(4).toString('hex')}`, namespace: systemNamespace, annotations: notes },
      spec: objectStoreSpec.parse({
        project: project.metadata.name,
        environment: 'production',
        engine: 'Local',
        ...spec,
      }),
    })
  const untilSaid = (store: ObjectStore, message: string) =>
    until(records.objectStores, store, (record) => readyOf(record?.status?.conditions)?.message === message, message)

  it('is held by its finalizer before anything is made, and says what it waits for', async () => {
    const store = await untilSaid(await create({}), 'Configure the bucket name in settings, then deploy')
    expect(store.metadata.finalizers).to.deep.equal([finalizers.objectStore])
    expect(readyOf(store.status?.conditions)).to.include({ status: 'False', reason: 'ReconcileError' })
    expect(storeState(store).message).to.equal('Configure the bucket name in settings, then deploy')
  })

  it('goes on when it is edited with kubectl while it waits', async () => {
    const store = await untilSaid(await create({}), 'Configure the bucket name in settings, then deploy')
    await records.objectStores.edit(store.metadata.name, (current) => ({
      ...current,
      spec: { ...current.spec, buckets: ['shop'] },
    }))
    await untilSaid(store, 'Set up the MinIO server in cluster settings first')
  })

  it('waits for an environment that its project does not have', async () => {
    await untilSaid(
      await create({ environment: 'elsewhere' }),
      `project ${project.metadata.name} has no environment elsewhere`,
    )
  })

  it('names a deploy request that kubectl made unreadable in an Event, and goes on', async () => {
    const store = await untilSaid(
      await create({}, { [annotations.attempt]: '{"id":"a","actor":"ada","requestId":"r","at":"yesterday"}' }),
      'Configure the bucket name in settings, then deploy',
    )
    expect(await eventsOf(records, store, 'RequestUnreadable')).to.have.lengthOf(1)
    expect((await eventsOf(records, store, 'RequestUnreadable'))[0]).to.match(
      /^the annotation svc\.dev\/attempt cannot be read: at: .*; it goes on as an edit by kubectl$/,
    )
  })

  it('as a draft says that it waits for its deploy, and rests', async () => {
    const store = await untilSaid(
      await create({}, { [annotations.deployWorkflow]: 'true' }),
      'Resource is configured and waiting for deployment',
    )
    expect(store.metadata.finalizers ?? []).to.deep.equal([])
    expect(storeState(store).state).to.equal('draft')
  })

  it('fails with the words of a cluster that refuses what is made for it, and is made by a retry', async () => {
    const policy = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      metadata: { name: `no-servers-${project.metadata.name}` },
    }
    const rule = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['statefulsets'] }
    await records.client.create(admissionPolicy, {
      ...policy,
      kind: admissionPolicy.kind,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: 'false', message: 'no servers here' }],
      },
    } as KubeObject)
    await records.client.create(admissionBinding, {
      ...policy,
      kind: admissionBinding.kind,
      spec: {
        policyName: policy.metadata.name,
        validationActions: ['Deny'],
        matchResources: {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': `${project.metadata.name}-production` } },
        },
      },
    } as KubeObject)
    await until(records.projects, project, (record) => readyOf(record?.status?.conditions)?.status === 'True', 'ready')
    await eventually('the policy holds', isRefused, 25_000)
    const database = await records.databases.create(
      postgresRecord(`db-${randomBytes(4).toString('hex')}`, project.metadata.name),
    )
    const said = (status: string, message: RegExp) =>
      until(
        records.databases,
        database,
        (record) =>
          readyOf(record?.status?.conditions)?.reason === status &&
          message.test(readyOf(record?.status?.conditions)?.message ?? ''),
        status,
      )
    await said('ReconcileError', /^the cluster refuses it: .*no servers here/)
    await said('ProvisionFailed', /^the cluster refuses it: .*no servers here/)
    for (const type of [admissionBinding, admissionPolicy])
      await records.client.delete({ type, name: policy.metadata.name })
    await eventually('the policy is gone', async () => !(await isRefused()), 25_000)
    await records.databases.edit(database.metadata.name, (current) => ({
      ...current,
      metadata: { ...current.metadata, annotations: { ...current.metadata.annotations, [annotations.retry]: 'again' } },
    }))
    await said('DatabaseReady', /./)
    await records.databases.remove(database.metadata.name, database.metadata.uid ?? '')
    await until(records.databases, database, (record) => record === undefined, 'gone')
  })

  /** Whether the cluster refuses a StatefulSet; the probe makes no pods. */
  async function isRefused(): Promise<boolean> {
    const metadata = {
      name: `probe-${randomBytes(4).toString('hex')}`,
      namespace: `${project.metadata.name}-production`,
    }
    const labels = { app: metadata.name }
    const spec = {
      replicas: 0,
      serviceName: 'none',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } },
    }
    try {
      await records.client.create(coreTypes.statefulSet, {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata,
        spec,
      } as KubeObject)
    } catch (error) {
      if (error instanceof ClusterError && error.message.includes('no servers here')) return true
      throw error
    }
    await records.client.delete({ type: coreTypes.statefulSet, ...metadata })
    return false
  }

  it('goes when it is deleted while it waits', async () => {
    const store = await untilSaid(await create({}), 'Configure the bucket name in settings, then deploy')
    await records.objectStores.remove(store.metadata.name, store.metadata.uid ?? '')
    await until(records.objectStores, store, (record) => record === undefined, 'gone')
  })

  it('gives the same reason from its first pass until it is gone', async () => {
    const reasons = new Map<string, string>()
    const stop = records.objectStores.cache.onChange(({ object }) => {
      const ready = readyOf(object.status?.conditions)
      if (object.spec.project === project.metadata.name && ready !== undefined) reasons.set(ready.message, ready.reason)
    })
    const store = await untilSaid(await create({}), 'Configure the bucket name in settings, then deploy')
    await records.objectStores.remove(store.metadata.name, store.metadata.uid ?? '')
    await until(records.objectStores, store, (record) => record === undefined, 'gone')
    stop()
    expect(Object.fromEntries(reasons)).to.deep.include({
      'being set up': 'ReconcileError',
      'being removed': 'ReconcileError',
    })
    expect([...new Set(reasons.values())]).to.deep.equal(['ReconcileError'])
  })
})
