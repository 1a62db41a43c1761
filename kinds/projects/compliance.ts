/** Compliance of a project: which of its databases are on nodes with the required tags, and why tags are refused. */
import { choiceKey, named, type NodeChoice, nodeChoiceOf, openNodes } from '../placement/node-choice.ts'
import { type TaggedNode, unmetTags } from '../placement/node-tags.ts'
import type { Project } from './kind.ts'

/** The nodes that a database asks for. An external database is on none. */
export interface PlacedDatabase {
  metadata: { name: string }
  spec: { runOn: { tags: readonly string[] } }
}

export interface DatabaseCompliance {
  name: string
  compliant: boolean
  /** Required tags that the database does not ask for. */
  missing: string[]
}

/** The answer to `GET /projects/{name}/compliance`. */
export function complianceOf(
  project: Pick<Project, 'spec'>,
  databases: readonly PlacedDatabase[],
  nodes: readonly TaggedNode[],
) {
  const { requiredTags, region } = project.spec
  return {
    requiredTags,
    region,
    databases: databases.map((database) => judged(database, requiredTags)).sort((a, b) => (a.name < b.name ? -1 : 1)),
    openNodes: openNodes(nodeChoiceOf(project), nodes),
  }
}

/**
 * Why a project may not require these tags: the rules about its databases and about nodes
 * (docs/reference/projects.md#compliance). Undefined when it may.
 */
export function refusalOfTags(
  tags: readonly string[],
  region: string,
  nodes: readonly TaggedNode[],
  databases: readonly PlacedDatabase[],
): string | undefined {
  const [unfit] = unmetTags({ region, requiredTags: tags }, nodes)
  if (unfit !== undefined) return unfit
  const astray = databases.map((database) => judged(database, tags)).filter(({ compliant }) => !compliant)
  if (astray.length === 0) return undefined
  return `databases are not on nodes with the required tags: ${named(astray.map(({ name, missing }) => `${name} (${missing.join(', ')})`))}`
}

/** Why a project may not move to a region (docs/reference/projects.md#settings). Undefined when it may. */
export function refusalOfRegion(
  region: string,
  requiredTags: readonly string[],
  nodes: readonly TaggedNode[],
  databases: readonly { metadata: { name: string }; spec: { placement: string } }[],
): string | undefined {
  const pinned = databases.filter(({ spec }) => spec.placement === 'InCluster')
  return pinned.length > 0
    ? `the region cannot change while the project has databases on the cluster: ${named(pinned.map(({ metadata }) => metadata.name))}`
    : unmetTags({ region, requiredTags }, nodes)[0]
}

/** Why a project may not change from one choice of nodes to another. Undefined when it may. */
export function refusalOfMove(
  before: NodeChoice,
  after: NodeChoice,
  nodes: readonly TaggedNode[],
  databases: readonly (PlacedDatabase & { spec: { placement: string } })[],
): string | undefined {
  const { region, tags } = after
  const refused = region === before.region ? undefined : refusalOfRegion(region, tags, nodes, databases)
  const isSame = choiceKey({ ...before, region }) === choiceKey(after)
  return refused ?? (isSame ? undefined : refusalOfTags(tags, region, nodes, databases))
}

function judged({ metadata, spec }: PlacedDatabase, tags: readonly string[]): DatabaseCompliance {
  const missing = tags.filter((tag) => !spec.runOn.tags.includes(tag))
  return { name: metadata.name, compliant: missing.length === 0, missing }
}
