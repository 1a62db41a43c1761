/** The paths through a database's workflow with stored histories. */
import { randomBytes } from 'node:crypto'
import { type BackupArchive, backupArchiveSpec } from '../../kinds/backup-archives/kind.ts'
import { archiveState } from '../../kinds/backup-archives/rules.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { until } from '../harness/records.ts'
import { workflowId } from '../../durable/ids.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { createDatabase, edit, remove, untilGone, untilSaid, untilState } from '../workflows/database-world.ts'
import type { Path, Scene } from './scene.ts'

const idOf = ({ metadata }: Database) => workflowId('database', metadata.name)

async function running({ records, project, rest }: Scene): Promise<Database> {
  const database = await untilState(records, await createDatabase(records, project), 'ready')
  await rest(idOf(database))
  return database
}

export const databasePaths: Readonly<Record<string, Path>> = {
  'database-made': async ({ records, project }) =>
    idOf(await untilState(records, await createDatabase(records, project), 'ready')),
  'database-given-up': async (scene) => {
    const database = await running(scene)
    await edit(scene.records, database, { storageSize: '1Gi' })
    await untilSaid(scene.records, database, 'storageSize cannot shrink; the database has 10Gi', 'ProvisionFailed')
    return idOf(database)
  },
  'database-removed': async (scene) => {
    const database = await running(scene)
    await remove(scene.records, database)
    await untilGone(scene.records, database)
    return idOf(database)
  },
  'database-backup-given-up': async ({ records, project }) => {
    const name = `gone-${randomBytes(4).toString('hex')}`
    const backup = await records.backupArchives.create({
      apiVersion,
      kind: resourceTypes.backupArchive.kind,
      metadata: { name, namespace: systemNamespace },
      spec: backupArchiveSpec.parse({
        project: project.metadata.name,
        environment: 'production',
        database: 'gone',
        engine: 'postgres',
        connectionRef: { name: 'gone' },
        bucket: 'gone',
      }),
    })
    const isOver = (record: BackupArchive | undefined) =>
      record !== undefined && archiveState(record).state === 'failed'
    await until(records.backupArchives, backup, isOver, 'failed')
    await records.backupArchives.remove(name, backup.metadata.uid ?? '')
    await until(records.backupArchives, backup, (record) => record === undefined, 'gone')
    return workflowId('backupArchive', name)
  },
  'database-connect-waits': async ({ records, project }) => {
    const login = {
      externalHost: '127.0.0.1',
      externalPort: 1,
      externalUsername: 'nobody',
      externalPasswordRef: { name: 'no-such-secret', key: 'password' },
    }
    const database = await createDatabase(records, project, { placement: 'External', mode: 'Connect', ...login })
    await untilSaid(
      records,
      database,
      `waiting for a Secret no-such-secret with the label svc.dev/project=${project.metadata.name}`,
    )
    await remove(records, database)
    await untilGone(records, database)
    return idOf(database)
  },
}
