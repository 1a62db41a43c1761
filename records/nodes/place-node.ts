/** Writes region, zone and tags of a node: one conditional patch that leaves all other labels and taints alone. */
import type { ClusterClient } from '../../cluster/client.ts'
import { isNotFound } from '../../cluster/objects/errors.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { onConflict, perRequest } from '../store/retry.ts'
import { canBeObjectName } from '../../contract/fields/patterns.ts'
import { Problem, refusals, refuse } from '../../contract/problem.ts'
import { digest } from '../../kinds/meta/digest.ts'
import { regionOf, tagsOf, zoneOf, type TaggedNode } from '../../kinds/placement/node-tags.ts'
import { placed, placementPatch, type Placement } from '../../kinds/nodes/placement.ts'

export interface NodeNeeds<Node> {
  client: ClusterClient
  /** The cache of nodes, so that the writer reads its own write. */
  nodes: { put(node: Node): void }
}

/**
 * A version of region, zone and tags alone: the resourceVersion of a node changes with every heartbeat of the kubelet.
 */
export const placementVersion = (node: TaggedNode): string => digest([regionOf(node), zoneOf(node), tagsOf(node)])

/**
 * Returns the node before and after. Harmless to repeat. Throws Problem not_found, and refuses a node whose placement
 * is not that of the version `ifMatch`.
 */
export async function placeNode<Node extends KubeObject & TaggedNode>(
  { client, nodes }: NodeNeeds<Node>,
  name: string,
  placement: Placement,
  ifMatch?: string,
): Promise<{ before: Node; after: Node }> {
  const ref = { type: coreTypes.node, name }
  let first: Node | undefined
  const read = async () => (canBeObjectName(name) ? client.get<Node>(ref) : undefined)
  // The kubelet writes nodes as well, so conflicts are common.
  return onConflict(perRequest, read, async (node) => {
    if (node === undefined) throw notFound()
    const before = (first ??= node) // after a lost answer our own write is there already
    const patch = placementPatch(node, placed(node, placement))
    if (patch === undefined) {
      nodes.put(node)
      return { before, after: node }
    }
    if (ifMatch !== undefined && placementVersion(node) !== ifMatch) throw refuse(refusals.changedMeanwhile)
    try {
      const after = await client.patch<Node>(ref, conditional(patch, node))
      nodes.put(after)
      return { before, after }
    } catch (error) {
      if (isNotFound(error)) throw notFound()
      throw error
    }
  })
}

/**
 * The API server answers with a conflict when the node was written since it was read, or is another one of that name.
 */
function conditional(patch: object, { metadata: { uid, resourceVersion } }: KubeObject): object {
  const { metadata = {}, ...rest } = patch as { metadata?: object } // placementPatch writes nothing else there
  return { ...rest, metadata: { ...metadata, uid, resourceVersion } }
}

export const nodeNotFound = 'node not found'

const notFound = (): Problem => new Problem('not_found', nodeNotFound)
