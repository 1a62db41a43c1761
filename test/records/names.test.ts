/** Names that many new records ask for at once, on the real kube-apiserver. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { type ObjectStore, objectStoreSpec } from '../../kinds/object-stores/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { createNames } from '../../records/place/names.ts'
import { createProject, type TestRecords, useRecords } from '../harness/records.ts'
import { withoutWorker } from '../harness/worker.ts'

describe('names that many services ask for at once', () => {
  let records: TestRecords
  let project: Project
  const made: ObjectStore[] = []

  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    records = await useRecords()
    project = await createProject(records)
    for (const environment of ['production', 'staging'])
      made.push(
        await records.objectStores.create({
          apiVersion,
          kind: resourceTypes.objectStore.kind,
          metadata: {
            name: `${project.metadata.name}-${environment}`,
            namespace: systemNamespace,
            labels: { [labels.project]: project.metadata.name, [labels.environment]: environment },
          },
          spec: objectStoreSpec.parse({ project: project.metadata.name, environment, engine: 'Local' }),
        }),
      )
  })
  /** No worker runs that would remove the finalizer. */
  after(async () => {
    for (const { metadata } of made) await records.objectStores.remove(metadata.name, metadata.uid ?? '')
    const { name, uid = '' } = project.metadata
    await records.projects.edit(name, (current) => ({ ...current, metadata: { ...current.metadata, finalizers: [] } }))
    await records.projects.remove(name, uid)
  })

  it('are taken where another kind has them in the place, in few reads', async () => {
    const asked: string[] = []
    const client = Object.create(records.client) as ClusterClient
    client.get = (ref, options) => (asked.push(`get ${ref.type.plural}`), records.client.get(ref, options))
    client.list = (type, query) => (asked.push(`list ${type.plural}`), records.client.list(type, query))
    const { takenNow } = createNames(client, { has: () => false, in: () => [] })
    const place = { project: project.metadata.name, environment: 'production' }
    const names = ['web', ...made.map(({ metadata }) => metadata.name), 'api', 'shop']
    const taken = await Promise.all(names.map((name) => takenNow('app', name, place)))
    expect(taken).to.deep.equal([false, true, false, false, false])
    expect(asked, asked.join()).to.have.lengthOf(2 * 3)
    expect(await takenNow('app', made[0]?.metadata.name ?? '', place), 'asked alone').to.equal(true)
  })

  it('are taken, too, where the record of the other kind has no labels', async () => {
    const unlabelled = { ...made[0], metadata: { ...made[0]?.metadata, name: 'by-hand', labels: {} } } as ObjectStore
    const { takenNow } = createNames(records.client, {
      has: () => false,
      in: (kind) => (kind === 'objectStore' ? [unlabelled] : []),
    })
    const place = { project: project.metadata.name, environment: 'production' }
    const taken = await Promise.all(['web', 'shop', 'by-hand'].map((name) => takenNow('app', name, place)))
    expect(taken).to.deep.equal([false, false, true])
  })
})
