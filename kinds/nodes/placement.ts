/** Region, zone and tags on a node: the change of its labels and taints for a placement, and of nothing else. */
import {
  complianceLabel,
  isReservedTaint,
  isTagLabel,
  type NodeTag,
  regionLabel,
  reservedTaint,
  type TaggedNode,
  tagSelector,
  type Taint,
  zoneLabel,
} from '../placement/node-tags.ts'

export interface Placement {
  /** Empty for no region. */
  readonly region: string
  readonly zone: string
  readonly tags: readonly NodeTag[]
}

/**
 * A tag in `reserved` or `compliance` need not be in `tags`, and compliance tags are reserved
 * (docs/reference/nodes.md#placement). Sorted by name, each once.
 */
export function placementTags(fields: {
  tags: readonly string[]
  reserved: readonly string[]
  compliance: readonly string[]
}): NodeTag[] {
  const names = [...new Set([...fields.tags, ...fields.reserved, ...fields.compliance])].toSorted()
  return names.map((name) => {
    const compliance = fields.compliance.includes(name)
    return { name, reserved: compliance || fields.reserved.includes(name), compliance }
  })
}

/** The node with region, zone and tags replaced; labels and taints of other owners stay. */
export function placed<Node extends TaggedNode>(node: Node, { region, zone, tags }: Placement): Node {
  const others = Object.entries(node.metadata.labels ?? {}).filter(
    ([key]) => !isTagLabel(key) && key !== regionLabel && key !== zoneLabel,
  )
  const ours: Record<string, string> = {
    ...(region === '' ? {} : { [regionLabel]: region }),
    ...(zone === '' ? {} : { [zoneLabel]: zone }),
    ...tagSelector(tags.map(({ name }) => name)),
    ...Object.fromEntries(
      tags.filter(({ compliance }) => compliance).map(({ name }) => [complianceLabel(name), 'true'] as const),
    ),
  }
  const taints = [
    ...(node.spec?.taints ?? []).filter((taint) => !isReservedTaint(taint)),
    ...tags.filter(({ reserved }) => reserved).map(({ name }) => reservedTaint(name)),
  ]
  return {
    ...node,
    metadata: { ...node.metadata, labels: { ...Object.fromEntries(others), ...ours } },
    spec: { ...node.spec, taints },
  }
}

/**
 * The merge patch from one state of a node to another; undefined when nothing changes. A merge patch replaces a list as
 * a whole, taints included.
 */
export function placementPatch(before: TaggedNode, after: TaggedNode): object | undefined {
  const [old, wanted] = [before.metadata.labels ?? {}, after.metadata.labels ?? {}]
  const changed = [...new Set([...Object.keys(old), ...Object.keys(wanted)])].filter((key) => old[key] !== wanted[key])
  const labels: Record<string, string | null> = Object.fromEntries(
    changed.map((key) => [key, wanted[key] ?? null] as const),
  )
  const taints = after.spec?.taints ?? []
  const sameTaints = JSON.stringify((before.spec?.taints ?? []).map(outline)) === JSON.stringify(taints.map(outline))
  if (Object.keys(labels).length === 0 && sameTaints) return undefined
  return { metadata: { labels }, ...(sameTaints ? {} : { spec: { taints } }) }
}

const outline = ({ key, value = '', effect }: Taint): string => `${key}=${value}:${effect}`
