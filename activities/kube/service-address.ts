/** The address by which a worker reaches the pods of a Service. */
import type { V1Service } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'

const noAddress = ['', 'None']
const serviceHost = /^([^.]+)\.([^.]+)\.svc(\.cluster\.local)?$/

/**
 * The cluster IP of a Service: it works in every pod, and on a machine beside the cluster without cluster DNS.
 * Undefined if there is no such Service, or it has no cluster IP.
 */
export async function serviceAddress(
  client: ClusterClient,
  namespace: string,
  name: string,
): Promise<string | undefined> {
  const service = await client.get<Sent<V1Service>>({ type: coreTypes.service, namespace, name })
  const address = service?.spec?.clusterIP ?? ''
  return noAddress.includes(address) ? undefined : address
}

/** The cluster IP for a host `<service>.<namespace>.svc`, if the Service has one; any other host unchanged. */
export async function reachableHost(client: ClusterClient, host: string): Promise<string> {
  const [, name = '', namespace = ''] = serviceHost.exec(host) ?? []
  return name === '' ? host : ((await serviceAddress(client, namespace, name)) ?? host)
}
