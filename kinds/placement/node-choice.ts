/** The choice of nodes for the pods of a project, by region and tags, and whether the scheduler may use a node. */
import { isReservedTaint, regionLabel, regionOf, tagSelector, tagsOf, takesTags, type TaggedNode } from './node-tags.ts'

export interface NodeChoice {
  /** Empty for any region. */
  readonly region: string
  /** A node must have all of these tags. */
  readonly tags: readonly string[]
}

export const anyNode: NodeChoice = { region: '', tags: [] }

/** The choice of nodes for every pod of a project (docs/reference/projects.md#placement-of-a-project). */
export const nodeChoiceOf = (
  project: { spec: { region: string; requiredTags: readonly string[] } } | undefined,
): NodeChoice => (project === undefined ? anyNode : { region: project.spec.region, tags: project.spec.requiredTags })

/** The choice with further tags. */
export const withTags = ({ region, tags }: NodeChoice, more: readonly string[]): NodeChoice => ({
  region,
  tags: [...new Set([...tags, ...more])].sort(),
})

/** `eu/hipaa,ssd`: the same text for the same choice; empty for any node. */
export function choiceKey({ region, tags }: NodeChoice): string {
  return region === '' && tags.length === 0 ? '' : `${region}/${[...tags].sort().join(',')}`
}

/** `nodeSelector` of a pod; empty when it may run anywhere. */
export function nodeSelectorOf({ region, tags }: NodeChoice): Record<string, string> {
  return { ...(region === '' ? {} : { [regionLabel]: region }), ...tagSelector(tags) }
}

/** Whether a pod may run on the node, by region, tags and taints; taints of other owners are never tolerated. */
export function admits({ region, tags }: NodeChoice, node: TaggedNode): boolean {
  if (region !== '' && regionOf(node) !== region) return false
  const foreign = (node.spec?.taints ?? []).some(
    (taint) => (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') && !isReservedTaint(taint),
  )
  return !foreign && takesTags(node, tags)
}

/** ` in region eu with the tags a, b`, for messages; empty for any node. */
export function choiceText({ region, tags }: NodeChoice): string {
  const place = region === '' ? '' : ` in region ${region}`
  return tags.length === 0 ? place : `${place} with the ${tags.length === 1 ? 'tag' : 'tags'} ${tags.join(', ')}`
}

/** Nodes of the region that have one of the tags without being reserved for it. */
export function openNodes({ region, tags }: NodeChoice, nodes: readonly TaggedNode[]): string[] {
  return nodes
    .filter(
      (node) =>
        (region === '' || regionOf(node) === region) &&
        tagsOf(node).some(({ name, reserved }) => tags.includes(name) && !reserved),
    )
    .map(({ metadata }) => metadata.name)
    .sort()
}

/** The first few of many names. */
export const named = (names: readonly string[], few = 3): string =>
  `${names.slice(0, few).join(', ')}${names.length > few ? ' and more' : ''}`
