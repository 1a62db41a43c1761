/** The connection Secret of a database or bucket: read and written only if its owner label is the record's uid. */
import type { ClusterClient } from '../../cluster/client.ts'
import { connectionPurpose, connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { homeOf, placeLabels } from '../../kinds/meta/namespaces.ts'
import type { Provisioned } from '../../kinds/provision/plan.ts'
import { keepSecret, type OwnSecret, readKeptSecret, readOwnSecret, removeOwnSecret } from './own-secret.ts'

type Owner = Pick<Provisioned, 'metadata' | 'spec'>

/**
 * The decoded values by key; undefined without a Secret. Throws OwnershipConflict for a Secret with another uid than
 * the record's.
 */
export async function readConnectionSecret(
  client: ClusterClient,
  owner: Owner,
): Promise<Record<string, string> | undefined> {
  return (await readKeptSecret(client, secretOf(owner)))?.values
}

/** The same for callers that only read: undefined also for another owner's Secret. */
export async function findConnectionSecret(
  client: ClusterClient,
  owner: Owner,
): Promise<Record<string, string> | undefined> {
  return (await readOwnSecret(client, secretOf(owner)))?.values
}

/** Writes the Secret if its content differs. Throws OwnershipConflict. */
export function writeConnectionSecret(
  client: ClusterClient,
  owner: Owner,
  texts: Record<string, string>,
): Promise<void> {
  return keepSecret(client, secretOf(owner), texts)
}

/** Removes the Secret; resolves also if there is none, or if it is another owner's. */
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
