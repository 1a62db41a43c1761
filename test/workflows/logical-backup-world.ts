/**
 * A world for backups of logical databases: a project with a bucket, the record of a shared server, and a real postgres
 * that stands for it. The scripts of the Jobs are run here, with the Secrets that the cluster has for their pods.
 */
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { loginSecretName } from '../../kinds/logical-databases/names.ts'
import { createOnSharedPostgres } from '../../kinds/logical-databases/postgres-scripts.ts'
import { sharedServerNames } from '../../kinds/logical-databases/shared-servers.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { type BackedEngine, drillTools, sqlTools } from '../harness/backed-engines.ts'
import { type Engine, startPostgres } from '../harness/engines.ts'
import { secretValues } from '../harness/object-server.ts'
import type { TestWorker } from '../harness/worker.ts'
import { type BackupWorld, openBackupWorld } from './backup-world.ts'
import { createLogical, removeServer, standInServer, untilReady } from './logical-world.ts'

export interface LogicalBackupWorld extends BackupWorld {
  /** The real one, with one login and database for each logical database. */
  postgres: Engine
  /** What the pod of a backup of a logical database has, but for its Secrets. */
  pod: BackedEngine
  /** A ready one on the shared server, with a table that holds this word. */
  holding(word: string, spec?: Partial<LogicalDatabase['spec']>): Promise<LogicalDatabase>
  backupsOf(database: LogicalDatabase): BackupArchive[]
  /** A server of its own pod, as a drill starts it. */
  drilling(): Promise<BackedEngine>
}

export async function openLogicalBackupWorld(
  startWorker: (env: Record<string, string>) => Promise<TestWorker>,
): Promise<LogicalBackupWorld> {
  const world = await openBackupWorld(startWorker)
  const { records, project } = world
  const place = { records, project, place: homeOf(world.database.spec) }
  const shared = await standInServer(place, { name: sharedServerNames.postgres, project: '', environment: '' })
  const postgres = await startPostgres()
  const { host, port } = postgres
  const pod = { variables: { SERVER_HOST: host, SERVER_PORT: String(port) }, ...(await sqlTools('postgres')) }
  const sql = async (login: { username: string; password: string }, database: string, text: string) => {
    const { code, stdout, stderr } = await postgres.sql(login, database, text)
    if (code !== 0) throw new Error(stderr)
    return stdout
  }
  return {
    ...world,
    postgres,
    pod: { ...world.engine, pod },
    async holding(word, spec = {}) {
      const databaseName = `shop_${word}`
      const made = await untilReady(place, await createLogical(place, shared.metadata.name, { databaseName, ...spec }))
      const login = await secretValues(systemNamespace, loginSecretName(made.metadata.name))
      const { database = '', username = '', password = '', verifier = '' } = login ?? {}
      const variables = { DATABASE: database, LOGIN: username, VERIFIER: verifier, CONNECTION_LIMIT: '5' }
      const end = await postgres.script(createOnSharedPostgres, { ...postgres.serverVariables, ...variables })
      if (end.code !== 0) throw new Error(end.stderr)
      const secret = await secretValues(place.place, connectionSecretName(made.metadata.name))
      if (secret?.['password'] !== password) throw new Error('the connection Secret has another password')
      await sql({ username, password }, database, 'CREATE TABLE kept (word text)')
      await sql({ username, password }, database, `INSERT INTO kept VALUES ('${word}')`)
      return made
    },
    backupsOf: ({ metadata }) =>
      records.backupArchives.cache.list().filter(({ spec }) => spec.databaseUid === metadata.uid),
    async drilling() {
      const tools = await drillTools('postgres')
      return { ...world.engine, pod: { ...tools, unprivileged: true }, stop: tools.stop }
    },
    async end() {
      await removeServer(records, shared)
      await postgres.stop()
      await world.end()
    },
  }
}
