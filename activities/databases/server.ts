/**
 * Reads shared by the steps of a database: its effective spec, its login, its volume, the operator's object.
 */
import type { V1PersistentVolumeClaim } from '@kubernetes/client-node'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { connectionPurpose } from '../../kinds/secrets/connection-secret.ts'
import { effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import type { Database, DatabaseSpec } from '../../kinds/databases/kind.ts'
import { databaseLabels } from '../../kinds/databases/manifests.ts'
import { passwordSecretName, volumeName } from '../../kinds/databases/names.ts'
import type { OperatedView } from '../../kinds/databases/cloudnativepg.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { postgresCluster } from '../../kinds/meta/resource-types.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { readKeptSecret } from '../kube/own-secret.ts'

export type DatabaseNeeds = Pick<
  ActivityNeeds,
  | 'client'
  | 'children'
  | 'access'
  | 'projects'
  | 'databases'
  | 'logicalDatabases'
  | 'backupArchives'
  | 'discovery'
  | 'now'
>

/** Annotation of the login's Secret, fixed when that is created: whether the operator runs this database. */
export const operatedNote = 'svc.dev/operated'

/** The spec a step works for; a step never runs for a draft, and a deletion works for the last effective spec. */
export const specOf = (database: Database): DatabaseSpec => effectiveDatabaseSpec(database) ?? database.spec

/** Labels of the database's Secrets; by the purpose label the watch sees a lost Secret, which is then created again. */
export const secretLabels = ({ metadata }: Database, spec: DatabaseSpec): Record<string, string> => ({
  ...databaseLabels({ uid: metadata.uid ?? '' }, spec),
  [labels.purpose]: connectionPurpose,
})

/** The login that services use, and the administrator's password; both never leave an activity. */
export interface Login {
  username: string
  password: string
  /** '' for an engine without an administrator. */
  adminPassword: string
  operated: boolean
}

/** The login in its Secret; undefined if that was not created yet, or is gone. Throws OwnershipConflict. */
export async function readLogin(
  { client }: Pick<DatabaseNeeds, 'client'>,
  { metadata, spec }: Database,
): Promise<Login | undefined> {
  const secret = await readKeptSecret(client, {
    name: passwordSecretName(metadata.name),
    namespace: homeOf(spec),
    owner: metadata.uid ?? '',
  })
  if (secret === undefined) return undefined
  const { username = '', password = '', adminPassword = '' } = secret.values
  return { username, password, adminPassword, operated: secret.annotations[operatedNote] === 'true' }
}

export function readVolume(
  { client }: Pick<DatabaseNeeds, 'client'>,
  { metadata, spec }: Database,
): Promise<Sent<V1PersistentVolumeClaim> | undefined> {
  return client.get<Sent<V1PersistentVolumeClaim>>({
    type: coreTypes.persistentVolumeClaim,
    namespace: homeOf(spec),
    name: volumeName(metadata.name),
  })
}

export type OperatedCluster = KubeObject & OperatedView & { spec?: { storage?: { size?: string } } }

/** The operator's object of the database; undefined also if the operator is not installed. */
export function readOperated(
  { client }: Pick<DatabaseNeeds, 'client'>,
  { metadata, spec }: Database,
): Promise<OperatedCluster | undefined> {
  return client.get<OperatedCluster>({ type: postgresCluster, namespace: homeOf(spec), name: metadata.name })
}

/** The engine version of the data, from the volume's annotation or the operator's object; '' if neither has it. */
export function versionIn(
  volume: Sent<V1PersistentVolumeClaim> | undefined,
  operated: OperatedCluster | undefined,
): string {
  return volume?.metadata.annotations?.[annotations.dataVersion] ?? operated?.spec?.imageName?.split(':').at(-1) ?? ''
}

/** The same, read from the cluster. */
export async function dataVersionOf(needs: Pick<DatabaseNeeds, 'client'>, database: Database): Promise<string> {
  const volume = await readVolume(needs, database)
  return versionIn(volume, volume === undefined ? await readOperated(needs, database) : undefined)
}
