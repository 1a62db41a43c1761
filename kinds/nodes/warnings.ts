/**
 * Warnings for an admin after the tags of a node changed: pods are not moved, and projects may have lost nodes that
 * they require.
 */
import { admits, named, type NodeChoice } from '../placement/node-choice.ts'
import { type TaggedNode, unmetTags } from '../placement/node-tags.ts'

export interface PlacedProject {
  readonly displayName: string
  readonly region: string
  readonly requiredTags: readonly string[]
}

/** A service with copies on the node, and its choice of nodes. */
export interface PlacedService {
  readonly name: string
  readonly choice: NodeChoice
}

export interface Surroundings {
  /** The other nodes of the cluster. */
  readonly others: readonly TaggedNode[]
  readonly projects: readonly PlacedProject[]
  readonly services: readonly PlacedService[]
  /** All deployed services, wherever their copies run. */
  readonly deployed: readonly PlacedService[]
}

/** The most names in one warning. */
const namesMax = 20

/** Sentences about the consequences of this change; what was so before is not repeated. */
export function placementWarnings(
  before: TaggedNode,
  after: TaggedNode,
  { others, projects, services, deployed }: Surroundings,
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
  const homeless = deployed
    .filter(({ choice }) => admits(choice, before) && ![...others, after].some((node) => admits(choice, node)))
    .map(({ name }) => name)
  return [
    ...lost,
    ...said(`running workloads are not moved; these no longer belong on ${after.metadata.name}`, misplaced),
    ...said('no node is left for new copies of', homeless),
  ]
}

const said = (what: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${what}: ${named(names.toSorted(), namesMax)}`]
