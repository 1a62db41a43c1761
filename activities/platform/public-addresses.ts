/** Where requests from outside reach this cluster. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { AddressedNode, PlatformNeeds } from './needs.ts'

export interface PublicPlace {
  addresses: string[]
  /** The name of a load balancer that has no address of its own. */
  name?: string
}

type IngressService = KubeObject & {
  status?: { loadBalancer?: { ingress?: readonly { ip?: string; hostname?: string }[] } }
}

/**
 * The addresses that the install is given; else those of the load balancer in front of the ingress, with those that
 * nodes have outside; else, on a cluster without any, the nodes' own.
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

/** What nodes are reached at from outside, or from beside where none is. */
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
