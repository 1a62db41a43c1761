/** The lifecycle of a project on real servers: environments made and archived, and everything removed in order. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { projectState } from '../../kinds/projects/intent.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import {
  createApp,
  createProject,
  deploy,
  type TestRecords,
  until,
  untilGone,
  untilState,
  useRecords,
} from '../harness/records.ts'
import { useWorker } from '../harness/worker.ts'

describe('the life of a project', function () {
  this.timeout(60_000)
  let records: TestRecords

  const ready = (project: Project) =>
    until(
      records.projects,
      project,
      (record) => record !== undefined && projectState(record).state === 'ready',
      'ready',
    )
  const namespace = (name: string) =>
    records.client.get<KubeObject & { metadata: { labels?: Record<string, string> } }>({
      type: coreTypes.namespace,
      name,
    })
  const edit = (project: Project, spec: Partial<Project['spec']>) =>
    records.projects.edit(project.metadata.name, (current) => ({ ...current, spec: { ...current.spec, ...spec } }))

  before(async () => {
    records = await useRecords()
    await useWorker()
  })

  it('makes a namespace for each environment, marked as its own', async () => {
    const project = await createProject(records, { environments: ['production', 'staging'] })
    await ready(project)
    for (const environment of ['production', 'staging']) {
      expect((await namespace(`${project.metadata.name}-${environment}`))?.metadata.labels).to.include({
        'svc.dev/project': project.metadata.name,
        'svc.dev/owner': project.metadata.uid,
      })
    }
  })

  it('isolates the pods of a project by a network policy, and takes it back', async () => {
    const project = await createProject(records, { network: { isolation: 'Project', allowFromProjects: [] } })
    await ready(project)
    const policy = {
      type: coreTypes.networkPolicy,
      namespace: `${project.metadata.name}-production`,
      name: 'svc-project-isolation',
    }
    expect(await records.client.get(policy)).to.not.equal(undefined)
    await edit(project, { network: { isolation: 'None', allowFromProjects: [] } })
    await ready(project)
    expect(await records.client.get(policy)).to.equal(undefined)
  })

  it('archives an environment: its services first, then the namespace, and the rest stays', async () => {
    const project = await createProject(records, { environments: ['production', 'staging'] })
    await ready(project)
    const kept = await createApp(records, project)
    const going = await createApp(records, project, { environment: 'staging' })
    await Promise.all([deploy(records, kept), deploy(records, going)])
    await Promise.all([untilState(records, kept, 'ready'), untilState(records, going, 'ready')])
    await edit(project, { environments: ['production'] })
    await untilGone(records, going)
    const reconciled = await ready(project)
    expect(reconciled.status?.environments?.map((environment) => environment.name)).to.deep.equal(['production'])
    expect(await namespace(`${project.metadata.name}-staging`)).to.equal(undefined)
    await untilState(records, kept, 'ready')
  })

  it('removes services, namespaces and history with the project, the record last', async () => {
    const project = await createProject(records)
    await ready(project)
    const app = await createApp(records, project)
    await deploy(records, app)
    await untilState(records, app, 'ready')
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
    await until(records.projects, project, (record) => record === undefined, 'gone')
    expect(await records.apps.readLive(app.metadata.name)).to.equal(undefined)
    expect(await namespace(`${project.metadata.name}-production`)).to.equal(undefined)
    const history = await records.client.list(coreTypes.configMap, {
      namespace: 'svc-system',
      labelSelector: `svc.dev/project=${project.metadata.name}`,
    })
    expect(history.items).to.deep.equal([])
  })

  it('refuses a namespace that another owner made, and takes it once it is free', async () => {
    const name = `proj-${Math.floor(Math.random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')}`
    await records.client.create(coreTypes.namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: `${name}-production` },
    })
    const project = await records.projects.create({
      apiVersion: 'svc.svc.dev/v1alpha1',
      kind: 'SvcProject',
      metadata: { name, namespace: 'svc-system' },
      spec: (await createProject(records)).spec,
    })
    const failed = await until(
      records.projects,
      project,
      (record) => record !== undefined && projectState(record).state === 'failed',
      'failed',
    )
    expect(projectState(failed).message).to.equal(`namespace ${name}-production exists and belongs to another owner`)
    expect((await namespace(`${name}-production`))?.metadata.deletionTimestamp).to.equal(undefined)
  })

  it('refuses a cluster that the install does not have, in words', async () => {
    const project = await createProject(records, { clusterRef: { name: 'elsewhere' } })
    const failed = await until(
      records.projects,
      project,
      (record) => record !== undefined && projectState(record).state === 'failed',
      'failed',
    )
    expect(projectState(failed).message).to.equal(
      'cluster elsewhere is not known: this install has one cluster, default',
    )
    const known = await records.client.get<KubeObject & { status?: { version?: string } }>({
      type: resourceTypes.cluster,
      namespace: 'svc-system',
      name: 'default',
    })
    expect(known?.status?.version).to.match(/^v1\./)
  })

  it('makes a namespace again that was deleted by hand, and its services become ready again', async () => {
    const project = await createProject(records)
    await ready(project)
    const app = await createApp(records, project)
    await deploy(records, app)
    await untilState(records, app, 'ready')
    const before = await namespace(`${project.metadata.name}-production`)
    await records.client.delete({ type: coreTypes.namespace, name: `${project.metadata.name}-production` })
    for (;;) {
      const now = await namespace(`${project.metadata.name}-production`)
      if (now !== undefined && now.metadata.uid !== before?.metadata.uid) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    await untilState(records, app, 'ready')
    const deployment = await records.client.get({
      type: coreTypes.deployment,
      namespace: `${project.metadata.name}-production`,
      name: app.metadata.name,
    })
    expect(deployment).to.not.equal(undefined)
  })
})
