/** Where a database of the cluster is, by the host name in its connection details. */
import type { V1Service } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { resolveAll } from '../../outside/guard.ts'

/**
 * The addresses of `<service>.<namespace>.svc` as the cluster says them, since an api on a machine beside the cluster
 * has none of its names; those of other hosts, and of Services without an address, from the resolver.
 */
export async function resolveDatabase(client: ClusterClient, host: string): Promise<readonly string[]> {
  const [, name, namespace] = /^([a-z0-9-]+)\.([a-z0-9-]+)\.svc$/.exec(host) ?? []
  if (name === undefined || namespace === undefined) return await resolveAll(host)
  const service = await client.get<Sent<V1Service>>({ type: coreTypes.service, namespace, name })
  const addresses = (service?.spec?.clusterIPs ?? []).filter((address) => address !== 'None')
  return addresses.length > 0 ? addresses : await resolveAll(host)
}
