/** Saves the node tags that a project requires. */
import { refuse } from '../../contract/problem.ts'
import type { TaggedNode } from '../../kinds/placement/node-tags.ts'
import { refusalOfTags } from '../../kinds/projects/compliance.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { type DatabaseNeeds, editProject } from './edit-project.ts'

export interface ComplianceNeeds extends DatabaseNeeds {
  /** Read live: the nodes may have been placed a moment ago. */
  nodesNow: () => Promise<readonly TaggedNode[]>
}

/**
 * An empty list clears the tags. The rules are checked on the very record that the write replaces, so a region saved
 * meanwhile counts. The workflows of running services then move them to matching nodes. Throws Problem not_found,
 * invalid_request.
 */
export async function saveRequiredTags(
  needs: ComplianceNeeds,
  name: string,
  tags: readonly string[],
  ifMatch?: string,
): Promise<Project> {
  const requiredTags = [...new Set(tags)]
  const [databases, nodes] =
    requiredTags.length === 0 ? [[], []] : await Promise.all([needs.databasesOf(name), needs.nodesNow()])
  return editProject(
    needs,
    name,
    ({ spec }) => {
      const refusal = refusalOfTags(requiredTags, spec.region, nodes, databases)
      if (refusal !== undefined) throw refuse(refusal)
      return { ...spec, requiredTags }
    },
    ifMatch,
  )
}
