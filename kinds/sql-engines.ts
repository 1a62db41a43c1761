/** The engines of SQL databases: only those have logical databases, and only those may be external. */
import type { sqlEngines } from '../contract/fields/words.ts'

export type SqlEngine = (typeof sqlEngines)[number]

/** The name of each engine's administrator, besides the login in the connection Secret. */
export const administrators = { postgres: 'postgres', mysql: 'root' } as const satisfies Record<SqlEngine, string>

export function isSqlEngine(engine: string): engine is SqlEngine {
  return Object.hasOwn(administrators, engine)
}
