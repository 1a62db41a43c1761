/** The consequences of another region or other required tags of a project for its running services. */
import { admits, choiceKey, named, type NodeChoice, withTags } from '../placement/node-choice.ts'
import type { TaggedNode } from '../placement/node-tags.ts'

export interface RunningService {
  readonly name: string
  /** Tags that the service itself asks for. */
  readonly tags: readonly string[]
}

/** The most names in one warning. */
const namesMax = 20

/**
 * Sentences about the services that would move to other nodes, and those that would find none; empty where nothing
 * moves (docs/reference/projects.md#placement-of-a-project).
 */
export function moveWarnings(
  before: NodeChoice,
  after: NodeChoice,
  { nodes, services }: { nodes: readonly TaggedNode[]; services: readonly RunningService[] },
): string[] {
  const moved = services.filter(({ tags }) => choiceKey(withTags(before, tags)) !== choiceKey(withTags(after, tags)))
  const { true: placeable = [], false: homeless = [] } = Object.groupBy(moved, ({ tags }) =>
    String(nodes.some((node) => admits(withTags(after, tags), node))),
  )
  return [
    ...said('new copies of these services start on nodes that fit, and replace those that run', placeable),
    ...said('no node fits these services; their copies stay where they are until one does', homeless),
  ]
}

const said = (what: string, services: readonly RunningService[]): string[] =>
  services.length === 0 ? [] : [`${what}: ${named(services.map(({ name }) => name).toSorted(), namesMax)}`]
