/** The backup before another version, by a worker whose cache has not yet received that the project has a storage. */
import type { V1PersistentVolumeClaim } from '@kubernetes/client-node'
import { expect } from 'chai'
import { backUpBeforeUpgrade } from '../../../activities/databases/backup-first.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import type { Database } from '../../../kinds/databases/kind.ts'
import { volumeName } from '../../../kinds/databases/names.ts'
import { annotations } from '../../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../../kinds/meta/group.ts'
import { homeOf } from '../../../kinds/meta/namespaces.ts'
import type { Project } from '../../../kinds/projects/kind.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { behindStore, createProject, type TestRecords, useRecords } from '../../harness/records.ts'
import { withoutWorker } from '../../harness/worker.ts'
import { createDatabase } from '../../workflows/database-world.ts'

describe('the backup before another version', () => {
  let records: TestRecords
  let project: Project
  let database: Database

  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    records = await useRecords()
  })
  beforeEach(async () => {
    project = await createProject(records)
    const { metadata } = await createDatabase(records, project, { engine: 'sqlite', version: '8.37.0' })
    const ref = { type: resourceTypes.database, namespace: systemNamespace, name: metadata.name }
    database = await records.client.patch(
      ref,
      { status: { connectionSecret: `${metadata.name}-connection` } },
      { subresource: 'status' },
    )
    const namespace = homeOf(database.spec)
    await records.client.create(coreTypes.namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    })
    const claim: V1PersistentVolumeClaim & KubeObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: volumeName(metadata.name), namespace, annotations: { [annotations.dataVersion]: '8.36.0' } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }
    await records.client.create(coreTypes.persistentVolumeClaim, claim)
  })
  afterEach(() => records.client.delete({ type: coreTypes.namespace, name: homeOf(database.spec) }))

  /** What a worker answers whose cache has the project as it was created. */
  const pass = () =>
    backUpBeforeUpgrade({ ...records, projects: behindStore(records.client, resourceTypes.project, [project]) })(
      database,
    )

  it('is waited for where the storage of the project was chosen this moment', async () => {
    await records.projects.edit(project.metadata.name, (current) => ({
      ...current,
      spec: {
        ...current.spec,
        backupStorage: {
          source: 'CloudConnection',
          connectionRef: { name: 'aws' },
          bucket: 'backups',
          region: '',
        },
      },
    }))
    expect((await pass())?.outcome).to.equal('waiting')
    const asked = records.backupArchives.cache.list().map(({ spec }) => [spec.trigger, spec.database])
    expect(asked).to.deep.equal([['Upgrade', database.metadata.name]])
  })

  it('is not taken where the project has none', async () => {
    expect(await pass()).to.equal(undefined)
  })
})
