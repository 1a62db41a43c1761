/** Deletions through an api whose caches still have the record that had the name before. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { connectCluster } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { appSpec } from '../../kinds/apps/kind.ts'
import { databaseSpec } from '../../kinds/databases/kind.ts'
import { logicalDatabaseSpec } from '../../kinds/logical-databases/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { comparedKinds, resourceTypes } from '../../kinds/meta/resource-types.ts'
import { objectStoreSpec } from '../../kinds/object-stores/kind.ts'
import { eventually } from '../cluster/eventually.ts'
import { heldClient } from '../harness/late-client.ts'
import { createProject, type TestRecords, useRecords } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import { withoutWorker } from '../harness/worker.ts'
import { startTestApi, type TestApi } from './test-api.ts'

const paths = {
  app: 'apps',
  database: 'databases',
  logicalDatabase: 'logical-databases',
  objectStore: 'object-stores',
} as const
type Kind = keyof typeof paths

describe('a deletion', () => {
  let records: TestRecords
  let cluster: ReturnType<typeof connectCluster>
  let api: TestApi
  let cookie: string
  let project: string
  let hold: (is: boolean) => void

  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    records = await useRecords()
    project = (await createProject(records)).metadata.name
    cluster = connectCluster({ kubeconfig: (await useStack()).kubeconfig })
    const held = heldClient(cluster)
    ;({ hold } = held)
    api = await startTestApi({ client: held.client })
    cookie = await api.signIn('admin')
  })
  beforeEach(() => hold(false))
  after(async () => {
    hold(false)
    await api?.stop()
    await cluster?.close()
  })

  const ofProject = () => ({ project, environment: 'production' })
  const specs: Readonly<Record<Kind, () => object>> = {
    app: () => appSpec.parse({ ...ofProject(), source: { image: { image: 'svc/hello:1' } } }),
    database: () => databaseSpec.parse({ ...ofProject(), engine: 'postgres' }),
    logicalDatabase: () => logicalDatabaseSpec.parse({ ...ofProject(), serverRef: 'none', databaseName: 'shop' }),
    objectStore: () => objectStoreSpec.parse({ ...ofProject(), engine: 'Local', buckets: ['data'] }),
  }
  for (const [kind, path] of Object.entries(paths) as [Kind, string][])
    it(`of ${path} is of the one that has the name now`, async () => {
      const type = resourceTypes[kind]
      const name = `again-${randomBytes(4).toString('hex')}`
      const ref = { type, namespace: systemNamespace, name }
      const create = () =>
        cluster.create<KubeObject & { spec: object }>(type, {
          apiVersion,
          kind: type.kind,
          metadata: { name, namespace: systemNamespace },
          spec: specs[kind](),
        })
      const before = await create()
      const { cache } = api.needs.records[comparedKinds[kind].records]
      const known = () => cache.get(name, systemNamespace)?.metadata.uid
      await eventually('the api has it', async () => known() === before.metadata.uid)
      hold(true)
      await cluster.delete(ref, {})
      const now = await create()
      expect([now.metadata.uid, known()]).to.deep.equal([now.metadata.uid, before.metadata.uid])
      const answer = await api.ask('DELETE', `/api/v1/${path}/${name}?confirmName=${name}`, { cookie })
      expect(answer.status, answer.text).to.equal(200)
      expect(await cluster.get<KubeObject>(ref)).to.equal(undefined)
    })
})
