/** The addresses by which requests from outside reach this cluster. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { AddressedNode, PlatformNeeds } from './needs.ts'

export interface PublicPlace {
  addresses: string[]
  /** The host name of a load balancer that has no IP address. */
  name?: string
}

type IngressService = KubeObject & {
  status?: { loadBalancer?: { ingress?: readonly { ip?: string; hostname?: string }[] } }
}

/**
 * The addresses in the settings of the install; else those of the load balancer in front of the ingress, with the
 * external ones of nodes; else, without a load balancer, the addresses of the nodes.
 */
export async function publicPlace(needs: PlatformNeeds, nodes: readonly AddressedNode[]): Promise<PublicPlace> {
  const { publicAddresses, ingressService } = needs.exposure
  if (publicAddresses.length > 0) return { addresses: [...publicAddresses] }
  const service = await needs.client.get<IngressService>({ type: coreTypes.service, ...ingressService })
  const balanced = service?.status?.loadBalancer?.ingress ?? []
  const addresses = balanced.flatMap(({ ip }) => (ip === undefined ? [] : [ip]))
  const name = balanced.find(({ hostname }) => hostname !== undefined)?.hostname
  if (name !== undefined && addresses.length === 0) return { addresses: [], name }
  return {
    addresses: [
      ...new Set([...addresses, ...(addresses.length === 0 ? nodeAddresses(nodes) : addressesOf(nodes, 'ExternalIP'))]),
    ],
  }
}

/** The external addresses of nodes; if there are none, the internal ones. */
export function nodeAddresses(nodes: readonly AddressedNode[]): string[] {
  const outside = addressesOf(nodes, 'ExternalIP')
  return outside.length > 0 ? outside : addressesOf(nodes, 'InternalIP')
}

function addressesOf(nodes: readonly AddressedNode[], wanted: string): string[] {
  const all = nodes.flatMap(({ status }) =>
    (status?.addresses ?? []).filter(({ type }) => type === wanted).map(({ address }) => address),
  )
  return [...new Set(all)].toSorted()
}
