/** The engines of SQL databases: those that carry logical databases, and may run elsewhere. */
import type { sqlEngines } from '../contract/fields/words.ts'

export type SqlEngine = (typeof sqlEngines)[number]

/** What the administrator is called that each has besides the login of its connection Secret. */
export const administrators = { postgres: 'postgres', mysql: 'root' } as const satisfies Record<SqlEngine, string>

export function isSqlEngine(engine: string): engine is SqlEngine {
  return Object.hasOwn(administrators, engine)
}
