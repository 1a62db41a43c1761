/** The Secret that says how a database or bucket is reached: read and written only where it is the record's own. */
import type { ClusterClient } from '../../cluster/client.ts'
import { connectionPurpose, connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { homeOf, placeLabels } from '../../kinds/meta/namespaces.ts'
import type { Provisioned } from '../../kinds/provision/plan.ts'
import { keepSecret, type OwnSecret, readKeptSecret, readOwnSecret, removeOwnSecret } from './own-secret.ts'

type Owner = Pick<Provisioned, 'metadata' | 'spec'>

/**
 * Its texts by key; undefined where there is none. Throws OwnershipConflict for one that carries another uid than the
 * record's.
 */
export async function readConnectionSecret(
  client: ClusterClient,
  owner: Owner,
): Promise<Record<string, string> | undefined> {
  return (await readKeptSecret(client, secretOf(owner)))?.values
}

/** The same for a look that changes nothing: undefined also for another owner's. */
export async function findConnectionSecret(
  client: ClusterClient,
  owner: Owner,
): Promise<Record<string, string> | undefined> {
  return (await readOwnSecret(client, secretOf(owner)))?.values
}

/** Written only when its content differs. Throws OwnershipConflict. */
export function writeConnectionSecret(
  client: ClusterClient,
  owner: Owner,
  texts: Record<string, string>,
): Promise<void> {
  return keepSecret(client, secretOf(owner), texts)
}

/** Done as well where there is none of the record's own. */
export function removeConnectionSecret(client: ClusterClient, owner: Owner): Promise<void> {
  return removeOwnSecret(client, secretOf(owner))
}

const secretOf = ({ metadata: { name, uid = '' }, spec }: Owner): OwnSecret => ({
  name: connectionSecretName(name),
  namespace: homeOf(spec),
  owner: uid,
  purpose: connectionPurpose,
  labels: placeLabels(spec),
})
