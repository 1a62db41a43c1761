/** The server of a logical database: its record, its connection, and the login that may create databases on it. */
import type { ClusterClient } from '../../cluster/client.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { databaseImage } from '../../kinds/databases/image.ts'
import { effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { adminSecretName } from '../../kinds/databases/names.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import type { JobServer } from '../../kinds/logical-databases/jobs.ts'
import type { Server } from '../../kinds/logical-databases/server.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { nodeChoiceOf, withTags } from '../../kinds/placement/node-choice.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { isSqlEngine } from '../../kinds/sql-engines.ts'
import { readOwnSecret } from '../kube/own-secret.ts'

/** The fields of the server that the rules need. */
export function serverView(database: Database): Server {
  const spec = effectiveDatabaseSpec(database) ?? database.spec
  const { name, deletionTimestamp } = database.metadata
  return {
    name,
    project: spec.project,
    environment: spec.environment,
    engine: spec.engine,
    deleting: deletionTimestamp !== undefined,
    ready: readyOf(database.status?.conditions)?.status === 'True',
    connectionSecret: database.status?.connectionSecret ?? '',
    region: spec.serverRegion ?? '',
    tags: spec.runOn.tags,
  }
}

/** The Secret with the login that may create databases: the administrator's, or svc's own at an external server. */
export function adminSecretOf({ metadata, spec }: Database): string {
  return spec.placement === 'External' ? connectionSecretName(metadata.name) : adminSecretName(metadata.name)
}

/**
 * What Jobs need of the server. They run in the server's namespace, the only one with the administrator's login, on
 * nodes that may hold the project's data.
 */
export function jobServer(database: Database, project: Project | undefined): JobServer {
  const spec = effectiveDatabaseSpec(database) ?? database.spec
  const { name } = database.metadata
  const choice = spec.project === '' ? { region: spec.serverRegion ?? '', tags: [] } : nodeChoiceOf(project)
  return {
    engine: isSqlEngine(spec.engine) ? spec.engine : 'postgres', // others are refused before any Job is made
    namespace: homeOf(spec),
    image: databaseImage(spec),
    connectionSecret: connectionSecretName(name),
    adminSecret: adminSecretOf(database),
    nodes: withTags(choice, spec.runOn.tags),
  }
}

export interface Connection {
  host: string
  port: string
  username: string
  password: string
  uri: string
}

/** The connection of the server itself; undefined while it is incomplete. It must not leave an activity. */
export async function readServerConnection(
  client: ClusterClient,
  { metadata, spec }: Database,
): Promise<Connection | undefined> {
  const {
    host = '',
    port = '',
    username = '',
    password = '',
    uri = '',
  } = (
    await readOwnSecret(client, {
      name: connectionSecretName(metadata.name),
      namespace: homeOf(spec),
      owner: metadata.uid ?? '',
    })
  )?.values ?? {}
  return host === '' || port === '' || username === '' || password === ''
    ? undefined
    : { host, port, username, password, uri }
}
