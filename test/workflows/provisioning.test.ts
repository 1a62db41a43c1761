/** The story that everything provisioned shares, told by buckets without a server: taken up, waiting, failing, edited, deleted, drafts. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { annotations, finalizers } from '../../kinds/annotations.ts'
import { readyOf } from '../../kinds/conditions.ts'
import { apiVersion, systemNamespace } from '../../kinds/group.ts'
import { storeState } from '../../kinds/object-stores/in-force.ts'
import { type ObjectStore, objectStoreSpec } from '../../kinds/object-stores/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/resource-types.ts'
import { createProject, type TestRecords, until, useRecords } from '../harness/records.ts'
import { useWorker } from '../harness/worker.ts'

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
      spec: objectStoreSpec.parse({ project: project.metadata.name, environment: 'production', engine: 'Local', ...spec }),
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
    await records.objectStores.edit(store.metadata.name, (current) => ({ ...current, spec: { ...current.spec, buckets: ['shop'] } }))
    await untilSaid(store, 'Set up the MinIO server in cluster settings first')
  })

  it('waits for an environment that its project does not have', async () => {
    await untilSaid(await create({ environment: 'elsewhere' }), `project ${project.metadata.name} has no environment elsewhere`)
  })

  it('as a draft says that it waits for its deploy, and rests', async () => {
    const store = await untilSaid(await create({}, { [annotations.deployWorkflow]: 'true' }), 'Resource is configured and waiting for deployment')
    expect(store.metadata.finalizers ?? []).to.deep.equal([])
    expect(storeState(store).state).to.equal('draft')
  })

  it('goes when it is deleted while it waits', async () => {
    const store = await untilSaid(await create({}), 'Configure the bucket name in settings, then deploy')
    await records.objectStores.remove(store.metadata.name, store.metadata.uid ?? '')
    await until(records.objectStores, store, (record) => record === undefined, 'gone')
  })
})
