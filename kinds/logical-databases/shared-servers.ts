/** The servers of the whole cluster that every project may have logical databases on. */

/** One per engine: the name is fixed, so that the API server itself refuses a second one. */
export const sharedServerNames = { postgres: 'shared-postgres', mysql: 'shared-mysql' } as const

export function isSharedServerName(name: string): boolean {
  return Object.values<string>(sharedServerNames).includes(name)
}

/** The refusal of backups for a database on a project's own server, by the api and by the CRD. */
export const logicalBackupsElsewhere =
  'backups applies to logical databases on the shared server only; others are in the backups of their server'
