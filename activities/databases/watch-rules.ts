/**
 * The rules by which the watch wakes a database. A wake for a missing object repeats the steps, which repair it.
 */
import type { Database } from '../../kinds/databases/kind.ts'
import { effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import { adminSecretName, passwordSecretName, serverServiceName } from '../../kinds/databases/names.ts'
import { databaseCopies } from '../../kinds/databases/sizes.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { isSqlEngine } from '../../kinds/sql-engines.ts'
import type { ChildCaches } from '../context/needs.ts'
import { isBackupOf, missingConnection, type WatchedCaches, type WatchRules } from '../provision/watch-rules.ts'

export const databaseWatch = ({ children }: WatchedCaches): WatchRules<Database> => ({
  missing: (database) => missingConnection(database, children) || missingServer(database, children),
  // A deletion waits for the logical databases on the server, and for a last backup, as a new version does.
  dependsOn: ({ metadata: { name } }, other) =>
    ('serverRef' in other.spec && other.spec.serverRef === name) || isBackupOf(other, name, 'Database'),
})

/** '' if nothing is missing, and for an external server, which has no objects on this cluster. */
function missingServer(
  database: Database,
  {
    statefulSets,
    services,
    pods,
    connectionSecrets,
  }: Pick<ChildCaches, 'statefulSets' | 'services' | 'pods' | 'connectionSecrets'>,
): string {
  const spec = effectiveDatabaseSpec(database)
  if (spec === undefined || spec.placement === 'External') return ''
  const { name, uid = '' } = database.metadata
  const namespace = homeOf(spec)
  const secrets = [passwordSecretName(name), ...(isSqlEngine(spec.engine) ? [adminSecretName(name)] : [])]
  const lost = secrets.find((secret) => connectionSecrets.isMissing(secret, namespace))
  if (lost !== undefined) return `Secret ${lost}`
  if (database.status?.operated === true) {
    const isReady = (pod: ReturnType<typeof pods.by>[number]) =>
      pod.metadata.deletionTimestamp === undefined &&
      pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
    const ready = pods.by('owner', uid).filter(isReady).length
    return ready >= databaseCopies(spec) ? '' : `${databaseCopies(spec) - ready} ready copies`
  }
  const service = serverServiceName(name, spec.engine)
  if (services.get(service, namespace) === undefined) return `Service ${service}`
  const set = statefulSets.get(name, namespace)
  if (set === undefined || set.metadata.deletionTimestamp !== undefined) return `StatefulSet ${name}`
  return (set.status?.readyReplicas ?? 0) > 0 ? '' : 'a ready copy'
}
