/** Creates a project: an ID, a readable name and the environment `production`. */
import { randomBytes, randomInt } from 'node:crypto'
import { isAlreadyExists } from '../../cluster/objects/errors.ts'
import { finalizers, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { type Project, projectSpec } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { twoWords } from '../../kinds/two-words.ts'
import type { ProjectNeeds } from './edit-project.ts'

const firstEnvironment = 'production'
const tries = 5

/** Returns the saved record; its name is `proj-<8 hex>`. `random` returns a whole number below its argument. */
export async function createProject(
  needs: ProjectNeeds,
  region: string,
  random: (below: number) => number = randomInt,
): Promise<Project> {
  for (let attempt = 1; ; attempt += 1) {
    // Read live: another process may have given a name a moment ago.
    const names = new Set((await needs.projects.listLive()).map(({ spec }) => spec.displayName))
    try {
      return await needs.projects.create(
        newProject(
          twoWords((name) => names.has(name), random),
          region,
        ),
      )
    } catch (error) {
      if (!isAlreadyExists(error) || attempt === tries) throw error
    }
  }
}

function newProject(displayName: string, region: string): Project {
  return {
    apiVersion,
    kind: resourceTypes.project.kind,
    metadata: {
      name: `proj-${randomBytes(4).toString('hex')}`,
      namespace: systemNamespace,
      labels: { [labels.managedBy]: managedBySvc },
      finalizers: [finalizers.project],
    },
    spec: projectSpec.parse({ displayName, region, environments: [firstEnvironment] }),
  }
}
