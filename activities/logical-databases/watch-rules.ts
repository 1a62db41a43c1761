/** The rules by which the watch wakes a logical database. */
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { loginSecretName } from '../../kinds/logical-databases/names.ts'
import { isSharedServerName } from '../../kinds/logical-databases/shared-servers.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { ChildCaches } from '../context/needs.ts'
import { isBackupOf, missingConnection, type WatchedCaches, type WatchRules } from '../provision/watch-rules.ts'

export const logicalDatabaseWatch = ({ children }: WatchedCaches): WatchRules<LogicalDatabase> => ({
  missing: (database) => missingConnection(database, children) || missingCreation(database, children),
  // A logical database waits for its server, for the drop of an earlier one of its name, or for a last backup.
  dependsOn: ({ kind, metadata, spec }, other) =>
    other.kind === resourceTypes.database.kind
      ? other.metadata.name === spec.serverRef
      : (other.kind === kind && other.spec.project === spec.project) ||
        isBackupOf(other, metadata.name, 'LogicalDatabase'),
})

/** The creation Job of a logical database, or on the shared server the Secret of its login, if one is missing. */
function missingCreation(
  { metadata, spec, status }: LogicalDatabase,
  { connectionSecrets, jobs }: ChildCaches,
): string {
  const shared = isSharedServerName(spec.serverRef)
  if (shared && connectionSecrets.isMissing(loginSecretName(metadata.name), systemNamespace))
    return `Secret ${loginSecretName(metadata.name)}`
  const { jobName } = status ?? {}
  const namespace = shared ? systemNamespace : namespaceOf(spec.project, spec.environment)
  return jobName === undefined || jobs.get(jobName, namespace) !== undefined ? '' : `Job ${jobName}`
}
