/** Compliance of a project: which of its databases are on the nodes that it requires, and why tags are refused. */

import { named, nodeChoiceOf, openNodes } from '../placement/node-choice.ts'
import { type TaggedNode, unmetTags } from '../placement/node-tags.ts'
import type { Project } from './kind.ts'

/** A database as far as its nodes go. One outside of the cluster is on none. */
export interface PlacedDatabase {
  metadata: { name: string }
  spec: { runOn: { tags: readonly string[] } }
}

export interface DatabaseCompliance {
  name: string
  compliant: boolean
  /** Required tags that the database was not placed by. */
  missing: string[]
}

/** The answer of `GET /projects/{name}/compliance`. */
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
 * Why a project may not require a tag: the rules about its databases and about nodes
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

function judged({ metadata, spec }: PlacedDatabase, tags: readonly string[]): DatabaseCompliance {
  const missing = tags.filter((tag) => !spec.runOn.tags.includes(tag))
  return { name: metadata.name, compliant: missing.length === 0, missing }
}
