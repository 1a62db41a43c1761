/** Where a worker reaches what runs behind a Service. */
import type { V1Service } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'

const noAddress = ['', 'None']
const serviceHost = /^([^.]+)\.([^.]+)\.svc(\.cluster\.local)?$/

/**
 * The address of a Service by number: it leads there from every pod, and from a machine beside its cluster that no
 * cluster DNS serves. Undefined where there is no such Service, or it has none of its own.
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

/** A host as services get it, `<service>.<namespace>.svc` by number where that can be had, and others as they are. */
export async function reachableHost(client: ClusterClient, host: string): Promise<string> {
  const [, name = '', namespace = ''] = serviceHost.exec(host) ?? []
  return name === '' ? host : ((await serviceAddress(client, namespace, name)) ?? host)
}
