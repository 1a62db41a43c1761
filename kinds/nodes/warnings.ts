/**
 * What an admin should know after a node's tags changed: nothing is moved, and projects may have lost what they
 * require.
 */

import { admits, type NodeChoice } from '../placement/node-choice.ts'
import { type TaggedNode, unmetTags } from '../placement/node-tags.ts'

export interface PlacedProject {
  readonly displayName: string
  readonly region: string
  readonly requiredTags: readonly string[]
}

/** A service with copies on the node, and the nodes it asks for. */
export interface PlacedService {
  readonly name: string
  readonly choice: NodeChoice
}

export interface Surroundings {
  /** The other nodes of the cluster. */
  readonly others: readonly TaggedNode[]
  readonly projects: readonly PlacedProject[]
  readonly services: readonly PlacedService[]
}

/** Sentences about what this change brought about; what was so before is not repeated. */
export function placementWarnings(
  before: TaggedNode,
  after: TaggedNode,
  { others, projects, services }: Surroundings,
): string[] {
  const lost = projects.flatMap((project) => {
    const known = unmetTags(project, [...others, before])
    return unmetTags(project, [...others, after])
      .filter((sentence) => !known.includes(sentence))
      .map((sentence) => `project ${project.displayName} requires tags it no longer has: ${sentence}`)
  })
  const misplaced = services
    .filter(({ choice }) => admits(choice, before) && !admits(choice, after))
    .map(({ name }) => name)
  if (misplaced.length === 0) return lost
  return [
    ...lost,
    `running workloads are not moved; these no longer belong on ${after.metadata.name}: ${misplaced.toSorted().join(', ')}`,
  ]
}
