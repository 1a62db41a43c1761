/** The engines of SQL databases: those that carry logical databases, and may run elsewhere. */

/** What the administrator is called that each has besides the login of its connection Secret. */
export const administrators = { postgres: 'postgres', mysql: 'root' } as const

export type SqlEngine = keyof typeof administrators

export function isSqlEngine(engine: string): engine is SqlEngine {
  return Object.hasOwn(administrators, engine)
}
