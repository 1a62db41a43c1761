/** The record `default` of an install's one cluster: the worker writes it only when it starts. */
import { z } from 'zod'
import { withReady, writeStatus } from '../../activities/kube/write-status.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { isAlreadyExists } from '../../cluster/objects/errors.ts'
import { parsedBy } from '../../contract/json/parsed-by.ts'
import { type Cluster, clusterSpec } from '../../kinds/clusters/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { theCluster } from '../../kinds/projects/intent.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'

const versionInfo = z.object({ gitVersion: z.string() })

/** Repeating it writes nothing unless the cluster's version changed. */
export async function ensureCluster(client: ClusterClient, now: Date): Promise<void> {
  const ref = { type: resourceTypes.cluster, namespace: systemNamespace, name: theCluster }
  const cluster = (await client.get<Cluster>(ref)) ?? (await createCluster(client)) ?? (await client.get<Cluster>(ref))
  if (cluster === undefined) return // deleted at the same moment; the next start creates it
  const version = parsedBy(versionInfo, await client.raw('GET', '/version'))?.gitVersion
  if (version === undefined) throw new Error('the API server answers /version with something else than its version')
  const conditions = withReady<'cluster'>(
    cluster,
    { ready: true, reason: 'Ready', message: 'The cluster answers' },
    now,
  )
  await writeStatus(client, undefined, resourceTypes.cluster, cluster, { conditions, version })
}

/** Creates the record; undefined if another worker has created it first. */
async function createCluster(client: ClusterClient): Promise<Cluster | undefined> {
  const record: Cluster = {
    apiVersion,
    kind: resourceTypes.cluster.kind,
    metadata: { name: theCluster, namespace: systemNamespace },
    spec: clusterSpec.parse({}),
  }
  try {
    return await client.create(resourceTypes.cluster, record)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return undefined
  }
}
