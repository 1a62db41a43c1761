/** The addresses of a database on the cluster, by the host in its connection details. */
import type { V1Service } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { resolveAll } from '../../outside/guard.ts'

/**
 * The cluster IPs of `<service>.<namespace>.svc`, read from the API server, since an api outside of the cluster cannot
 * resolve such names; the resolver answers for other hosts, and for Services without a cluster IP.
 */
export async function resolveDatabase(client: ClusterClient, host: string): Promise<readonly string[]> {
  const [, name, namespace] = /^([a-z0-9-]+)\.([a-z0-9-]+)\.svc$/.exec(host) ?? []
  if (name === undefined || namespace === undefined) return await resolveAll(host)
  const service = await client.get<Sent<V1Service>>({ type: coreTypes.service, namespace, name })
  const addresses = (service?.spec?.clusterIPs ?? []).filter((address) => address !== 'None')
  return addresses.length > 0 ? addresses : await resolveAll(host)
}
