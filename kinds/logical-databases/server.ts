/**
 * Whether a logical database may be on its server, and why not: pure rules
 * (docs/reference/logical-databases.md#ready-condition).
 */
import { isSharedServerName } from './shared-servers.ts'
import { isSqlEngine } from '../sql-engines.ts'
import { databaseNameRefusal } from './database-name.ts'
import type { LogicalDatabaseSpec } from './kind.ts'

/** The fields of a server that the rules read. */
export interface Server {
  name: string
  /** Both empty for the shared server of the cluster. */
  project: string
  environment: string
  engine: string
  deleting: boolean
  ready: boolean
  /** Name of its connection Secret; '' while it has none. */
  connectionSecret: string
  /** Region of the shared server. */
  region: string
  tags: readonly string[]
}

/** The demands of its project on every place with its data. */
export interface Demands {
  region: string
  requiredTags: readonly string[]
}

/** An obstacle that ends by itself (`waiting`), or one that counts as a failure. */
export interface Hindrance {
  outcome: 'waiting' | 'failing'
  message: string
}

const waiting = (message: string): Hindrance => ({ outcome: 'waiting', message })
const failing = (message: string): Hindrance => ({ outcome: 'failing', message })

/** A cluster-wide server under another name is not used: databases on it would not be found again. */
export const isShared = ({ name, project }: Pick<Server, 'name' | 'project'>): boolean =>
  project === '' && isSharedServerName(name)

/** What keeps this database from being created on that server; undefined when nothing does. */
export function hindranceAt(
  spec: LogicalDatabaseSpec,
  server: Server | undefined,
  demands: Demands,
): Hindrance | undefined {
  const { serverRef } = spec
  if (server === undefined) return waiting(`server ${serverRef} does not exist`)
  const { engine } = server
  // Checked before anything else of the server: a project learns nothing about the servers of others.
  const own =
    server.project === spec.project && server.environment === spec.environment && !isSharedServerName(serverRef)
  if (!isShared(server) && !own) return waiting(`server ${serverRef} belongs to another project or environment`)
  if (server.deleting) return waiting(`server ${serverRef} is being deleted`)
  if (!isSqlEngine(engine)) return waiting(`server ${serverRef} is no postgres or mysql database`)
  const refusal = databaseNameRefusal(spec.databaseName, engine, isShared(server))
  if (refusal !== undefined) return failing(refusal)
  const misplaced = isShared(server) ? misplacement(server, demands) : undefined
  if (misplaced !== undefined) return misplaced
  if (!server.ready) return waiting(`server ${serverRef} is not ready`)
  if (server.connectionSecret === '') return waiting(`server ${serverRef} has no connection secret`)
  return undefined
}

/** Data of a project with a region or required tags must not be anywhere else. */
function misplacement({ name, region, tags }: Server, demands: Demands): Hindrance | undefined {
  if (demands.region !== '' && demands.region !== region)
    return waiting(
      `server ${name} is in ${region === '' ? 'no region' : `region ${region}`} and the project in region ${demands.region}`,
    )
  const missing = demands.requiredTags.filter((tag) => !tags.includes(tag))
  return missing.length === 0
    ? undefined
    : failing(`server ${name} is not on nodes with the required tags of the project: ${missing.join(', ')}`)
}
