/** The servers of the whole cluster that every project may have logical databases on. */

/** There is one for each engine: its name is fixed, so the cluster itself refuses a second one. */
export const sharedServerNames = { postgres: 'shared-postgres', mysql: 'shared-mysql' } as const

export function isSharedServerName(name: string): boolean {
  return Object.values<string>(sharedServerNames).includes(name)
}

/** Said where backups are asked for on a server of the project, by the api and by the cluster itself. */
export const logicalBackupsElsewhere =
  'backups applies to logical databases on the shared server only; others are in the backups of their server'
