/** Reads a cloud connection with its keys, live: no process keeps their values. */
import type { ClusterClient } from '../../cluster/client.ts'
import { textsOf } from '../../cluster/objects/secret-data.ts'
import { type CloudKeys, incompleteKeys, unusable } from '../../kinds/cloud-connections/credentials.ts'
import type { CloudConnection, CloudConnectionSpec } from '../../kinds/cloud-connections/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { anyOf, isCloudKeysOf, isHandMadeFor } from '../../kinds/secrets/named-secret.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { readNamedSecret } from '../secrets/named-secret.ts'

export interface CloudUser {
  project: string
  provider: CloudConnectionSpec['provider']
}

export type FoundAccount =
  | { connection: CloudConnection; keys: CloudKeys }
  /**
   * Why the connection cannot be used (docs/reference/projects.md#cloud-connections): missing, incomplete, wrong
   * provider, or not of this project.
   */
  | { unmet: string }

/** The connection that a resource names, when the resource may use it and its keys are complete. */
export async function readAccount(client: ClusterClient, name: string, user: CloudUser): Promise<FoundAccount> {
  const connection =
    name === ''
      ? undefined
      : await client.get<CloudConnection>({ type: resourceTypes.cloudConnection, namespace: systemNamespace, name })
  const unmet = unusable(name, connection, user)
  if (connection === undefined || unmet !== '') return { unmet }
  const stored = await readCloudKeys(client, connection)
  const incomplete = incompleteKeys(connection.spec, stored?.keys)
  if (stored === undefined || incomplete !== '')
    return { unmet: `cloud connection ${name} is incomplete: ${incomplete}` }
  return { connection, keys: stored.keys }
}

export interface StoredKeys {
  keys: CloudKeys
  /** Changes with each write of the Secret. */
  version: string
}

/**
 * Undefined where the Secret does not exist, or is not one of the connection's project: its keys must not be used then.
 */
export async function readCloudKeys(
  client: ClusterClient,
  { spec }: Pick<CloudConnection, 'spec'>,
): Promise<StoredKeys | undefined> {
  const { project, secretRef } = spec
  const secret = await readNamedSecret(client, secretRef.name, anyOf(isCloudKeysOf(project), isHandMadeFor(project)))
  return secret === undefined ? undefined : { keys: textsOf(secret), version: secret.metadata.resourceVersion ?? '' }
}
