/** The namespace of an environment is created by a pass that was cut off until the environment was gone. */
import { expect } from 'chai'
import type { ActivityNeeds } from '../../activities/context/needs.ts'
import { reconcileEnvironment } from '../../activities/projects/environments.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { eventually } from '../cluster/eventually.ts'
import { createProject, type TestRecords, useRecords } from '../harness/records.ts'
import { withoutWorker } from '../harness/worker.ts'

describe('a namespace that is made after its environment was removed', () => {
  let records: TestRecords
  let project: Project

  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    records = await useRecords()
  })
  beforeEach(async () => {
    project = await createProject(records, { environments: ['production', 'staging'] })
  })
  const edit = (change: (current: Project) => Project) => records.projects.edit(project.metadata.name, change)
  /** No worker runs that would remove the finalizer. */
  const remove = async () => {
    await edit((current) => ({ ...current, metadata: { ...current.metadata, finalizers: [] } }))
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
  }
  const place = { type: coreTypes.namespace, name: '' }
  const there = () => records.client.get<KubeObject>({ ...place, name: namespaceOf(project.metadata.name, 'staging') })

  /** A pass that goes on to the creation of the namespace only after `meanwhile`. */
  async function passAround(meanwhile: () => Promise<unknown>) {
    const client = Object.create(records.client) as ClusterClient
    client.create = (async (...asked: Parameters<ClusterClient['create']>) => {
      if (asked[0].kind === coreTypes.namespace.kind) await meanwhile()
      return records.client.create(...asked)
    }) as ClusterClient['create']
    const needs = {
      client,
      projects: records.projects,
      children: { namespaces: { put: () => undefined } },
      placement: { podSecurity: 'baseline', quota: {} },
      access: () => Promise.resolve(false),
    } as unknown as ActivityNeeds // all that the pass uses until it has its rights
    return reconcileEnvironment(needs, project, 'staging')
  }
  const isGone = () => eventually('the namespace is gone', async () => (await there()) === undefined, 10_000)

  it('goes again with its project', async () => {
    const { phase } = await passAround(remove)
    expect(phase).to.equal('Pending')
    await isGone()
  })

  it('goes again where the environment alone was archived', async () => {
    await passAround(() => edit((current) => ({ ...current, spec: { ...current.spec, environments: ['production'] } })))
    await isGone()
    await remove()
  })

  it('stays while its environment is asked for', async () => {
    await passAround(async () => undefined)
    expect((await there())?.metadata.deletionTimestamp).to.equal(undefined)
    await records.client.delete({ ...place, name: namespaceOf(project.metadata.name, 'staging') })
    await remove()
  })
})
