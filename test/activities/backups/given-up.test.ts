/** The keys of the bucket, in the namespace of an environment, once a backup or a restore is given up. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { createBackupActivities } from '../../../activities/backup-archives/activities.ts'
import type { ActivityNeeds } from '../../../activities/context/needs.ts'
import { createDatabaseActivities } from '../../../activities/databases/activities.ts'
import { keepSecret } from '../../../activities/kube/own-secret.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { backupArchiveSpec } from '../../../kinds/backup-archives/kind.ts'
import { backupJobName, restoreJobName } from '../../../kinds/backup-archives/names.ts'
import { archiveRules, archiveState } from '../../../kinds/backup-archives/rules.ts'
import { databaseRules, databaseState } from '../../../kinds/databases/draft.ts'
import { apiVersion, systemNamespace } from '../../../kinds/meta/group.ts'
import { namespaceOf } from '../../../kinds/meta/namespaces.ts'
import type { Project } from '../../../kinds/projects/kind.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { provisionPlan } from '../../../kinds/provision/plan.ts'
import { createProject, type TestRecords, useRecords } from '../../harness/records.ts'
import { withoutWorker } from '../../harness/worker.ts'
import { createDatabase } from '../../workflows/database-world.ts'

describe('the keys of a bucket of backups', () => {
  let records: TestRecords
  let project: Project
  let namespace: string

  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    records = await useRecords()
  })
  beforeEach(async () => {
    project = await createProject(records)
    namespace = namespaceOf(project.metadata.name, 'production')
    const home: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
    await records.client.create(coreTypes.namespace, home)
  })
  afterEach(() => records.client.delete({ type: coreTypes.namespace, name: namespace }))

  const needs = () => records as unknown as ActivityNeeds // all that these activities use
  const makeKeys = (name: string, owner: string): Promise<void> =>
    keepSecret(records.client, { name, namespace, owner, purpose: 'connection' }, { secretKey: 'x' })
  const isThere = async (name: string): Promise<boolean> =>
    (await records.client.get({ type: coreTypes.secret, namespace, name })) !== undefined

  it('go when a backup is given up, whose Job may still run', async () => {
    const name = `orders-${randomBytes(4).toString('hex')}`
    const archive = await records.backupArchives.create({
      apiVersion,
      kind: resourceTypes.backupArchive.kind,
      metadata: { name, namespace: systemNamespace },
      spec: backupArchiveSpec.parse({
        project: project.metadata.name,
        environment: 'production',
        database: 'orders',
        databaseUid: 'gone',
        engine: 'postgres',
        connectionRef: { name: 'aws' },
        bucket: 'backups',
      }),
    })
    const { uid, intent } = provisionPlan(archiveRules, name, archive)
    await makeKeys(backupJobName(name), uid)
    await createBackupActivities(needs()).giveUpBackup({ name, uid, intent, message: 'database orders is gone' })
    const given = await records.backupArchives.readLive(name)
    expect(given === undefined ? '' : archiveState(given).state).to.equal('failed')
    expect(await isThere(backupJobName(name))).to.equal(false)
  })

  it('go when a restore is given up, whose backup is gone', async () => {
    const database = await createDatabase(records, project, { engine: 'redis', restoreFrom: { archive: 'gone' } })
    const { name } = database.metadata
    const { uid, intent } = provisionPlan(databaseRules, name, database)
    await makeKeys(restoreJobName(name), uid)
    await createDatabaseActivities(needs()).giveUpDatabase({ name, uid, intent, message: 'backup gone is gone' })
    const given = await records.databases.readLive(name)
    expect(given === undefined ? '' : databaseState(given).state).to.equal('failed')
    expect(await isThere(restoreJobName(name))).to.equal(false)
  })
})
