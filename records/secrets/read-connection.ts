/**
 * Reads the connection Secret of a database, live: no process keeps its values, and they leave a process only in an
 * answer.
 */
import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { textsOf } from '../../cluster/objects/secret-data.ts'
import { refuse } from '../../contract/problem.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import type { ResourceMeta } from '../../kinds/meta/resource.ts'

interface Connected {
  metadata: ResourceMeta
  spec: { project: string; environment: string }
}

/**
 * The texts of the Secret by key. A Secret with another owner's uid, left by an earlier record of this name or made by
 * hand, counts as missing. Throws Problem invalid_request `no connection details yet` before setup has finished.
 */
export async function readConnection(
  client: ClusterClient,
  { metadata, spec }: Connected,
): Promise<Record<string, string>> {
  const secret = await client.get<Sent<V1Secret>>({
    type: coreTypes.secret,
    namespace: homeOf(spec),
    name: connectionSecretName(metadata.name),
  })
  if (secret === undefined || secret.metadata.labels?.[labels.owner] !== metadata.uid)
    throw refuse('no connection details yet')
  return textsOf(secret)
}
