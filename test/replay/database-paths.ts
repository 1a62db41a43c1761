/** The paths through a database's workflow with stored histories. */
import { workflowId } from '../../durable/ids.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { createDatabase, edit, remove, untilGone, untilSaid, untilState } from '../workflows/database-world.ts'
import type { Path, Scene } from './paths.ts'

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
