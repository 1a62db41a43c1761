/**
 * Which names a logical database may have; the schema leaves that to the worker
 * (docs/reference/logical-databases.md#fields).
 */
import { databaseName as plainName } from '../../contract/fields/patterns.ts'
import { databaseNameMax } from '../../contract/limits.ts'
import type { SqlEngine } from '../sql-engines.ts'

/** Names of the server's own databases, by engine. */
const reserved = {
  postgres: ['postgres', 'template0', 'template1'],
  mysql: ['mysql', 'information_schema', 'performance_schema', 'sys'],
} as const

/** Why the name is not allowed, as a sentence; undefined when it is. */
export function databaseNameRefusal(databaseName: string, engine: SqlEngine, shared: boolean): string | undefined {
  if (!plainName.test(databaseName))
    return 'databaseName must use letters, digits, and underscores, and not start with a digit'
  if (shared) return undefined // the real name has the project in front
  if (databaseName.length > databaseNameMax) return `databaseName must be at most ${databaseNameMax} characters`
  if (reserved[engine].some((name) => name === databaseName.toLowerCase()))
    return `databaseName ${databaseName} is the server's own`
  return undefined
}
