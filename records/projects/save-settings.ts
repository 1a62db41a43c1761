/** Renames a project, sets its environments and its region. */
import { namespaceMax } from '../../contract/limits.ts'
import { refusals, refuse } from '../../contract/problem.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { TaggedNode } from '../../kinds/placement/node-tags.ts'
import { archivedEnvironments, withArchived } from '../../kinds/projects/archived.ts'
import { refusalOfRegion } from '../../kinds/projects/compliance.ts'
import type { Project, ProjectSpec } from '../../kinds/projects/kind.ts'
import { isLeaving, openPullRequests, pullRequestIn, withoutClosed } from '../../kinds/projects/pull-requests.ts'
import {
  type ContentNeeds,
  type DatabaseNeeds,
  editProject,
  editProjectRecord,
  type ProjectNeeds,
} from './edit-project.ts'
import { claimName, refuseTakenName, withClaimed } from './claim-name.ts'
import { readWithEnvironment, refuseUnknownEnvironment } from '../place/project-environment.ts'

export interface ProjectSettings {
  displayName?: string | undefined
  environments?: readonly string[] | undefined
  region?: string | undefined
}

export interface SettingsNeeds extends ContentNeeds, DatabaseNeeds {
  /** Read live: the nodes may have been placed a moment ago. */
  nodesNow: () => Promise<readonly TaggedNode[]>
}

/**
 * Environments may be added. An environment with contents cannot be left out: it has to be archived. Running services
 * move to a new region; databases cannot. Throws Problem not_found, invalid_request.
 */
export async function saveProjectSettings(
  needs: SettingsNeeds,
  name: string,
  settings: ProjectSettings,
  ifMatch?: string,
  actor?: string,
): Promise<Project> {
  // Read live: which environments are left out, and so have to be empty, is decided by the newest list.
  const current = settings.environments === undefined ? undefined : await needs.projects.readLive(name)
  const dropped = (current?.spec.environments ?? []).filter(
    (environment) => current !== undefined && !wantedEnvironments(current, settings).includes(environment),
  )
  for (const environment of dropped) await refuseFilled(needs, name, environment)
  const named = settings.displayName === undefined ? [] : await needs.projects.listLive()
  // Read whenever a region is given: whether it is a change shows only on the newest record.
  const [databases, nodes] =
    settings.region === undefined ? [[], []] : await Promise.all([needs.databasesOf(name), needs.nodesNow()])
  const decide = (project: Project): ProjectSpec => {
    const { displayName = project.spec.displayName, region = project.spec.region } = settings
    const environments = wantedEnvironments(project, settings)
    refuseNewDrop(project, environments, dropped)
    refuseTakenName(named, project, displayName)
    if (region !== project.spec.region) refuseRegion(project, region, nodes, databases)
    const added = environments.filter((environment) => !project.spec.environments.includes(environment))
    for (const environment of added) refuseUnfit(project, environment)
    return withoutClosed({ ...project.spec, displayName, region, environments: [...environments] })
  }
  const own = named.find(({ metadata }) => metadata.name === name)
  const wanted = own === undefined ? undefined : decide(own)
  const isRename = wanted !== undefined && wanted.displayName !== own?.spec.displayName
  const claim = isRename ? await claimName(needs, name, wanted.displayName, ifMatch) : undefined
  return editProjectRecord(
    needs,
    name,
    (project) => {
      const spec = decide(project)
      return { ...withClaimed(project, claim, spec.displayName), spec }
    },
    // The note is a write of this very request.
    ifMatch === undefined ? undefined : (claim?.version ?? ifMatch),
    actor,
  )
}

/** Environments of pull requests are added and removed by svc, so a list without them does not drop them. */
function wantedEnvironments({ spec }: Project, { environments }: ProjectSettings): readonly string[] {
  if (environments === undefined) return spec.environments
  const ofPullRequests = openPullRequests(spec).map(({ environment }) => environment)
  return [...environments, ...ofPullRequests.filter((environment) => !environments.includes(environment))]
}

/** Adds an environment. Throws Problem invalid_request when it exists, is still being removed, or does not fit. */
export async function createEnvironment(
  needs: ProjectNeeds,
  name: string,
  environment: string,
  ifMatch?: string,
  actor?: string,
): Promise<Project> {
  let mine = false
  return editProject(
    needs,
    name,
    (project) => {
      const there = project.spec.environments.includes(environment)
      if (there && !mine) throw refuse(`the environment ${environment} already exists`)
      if (there) return project.spec // our own write, whose answer was lost
      mine = true
      refuseUnfit(project, environment)
      return { ...project.spec, environments: [...project.spec.environments, environment] }
    },
    ifMatch,
    actor,
  )
}

/**
 * Removes an environment from the project; its workflow deletes the contents. Returns how many services, databases and
 * buckets those are. Throws Problem not_found, invalid_request (`confirmName` differs, the last environment).
 */
export async function archiveEnvironment(
  needs: ContentNeeds,
  name: string,
  environment: string,
  confirmName: string,
  ifMatch?: string,
  actor?: string,
): Promise<number> {
  const current = await readWithEnvironment(needs.projects, name, environment)
  if (current !== undefined) refuseUnknownEnvironment(current, environment)
  if (confirmName !== environment) throw refuse(refusals.confirmation)
  const contents = await needs.contentsOf(name, environment)
  await editProjectRecord(
    needs,
    name,
    (project) => {
      const { spec } = project
      if (!spec.environments.includes(environment)) return project // our own write, whose answer was lost
      const environments = spec.environments.filter((each) => each !== environment)
      refuseLast(spec, environments)
      const archived = withArchived(project, [...archivedEnvironments(project), environment])
      return { ...archived, spec: withoutClosed({ ...spec, environments }) }
    },
    ifMatch,
    actor,
  )
  return contents.length
}

/**
 * Throws Problem invalid_request when no environment would be left. Those of pull requests do not count, being copies
 * of another one.
 */
export function refuseLast(spec: ProjectSpec, left: readonly string[]): void {
  if (left.every((environment) => pullRequestIn(spec, environment) !== undefined))
    throw refuse(refusals.lastEnvironment)
}

async function refuseFilled(needs: ContentNeeds, project: string, environment: string): Promise<void> {
  const contents = await needs.contentsOf(project, environment)
  if (contents.length > 0)
    throw refuse(
      `the environment ${environment} still holds ${contents.slice(0, 3).join(', ')}${contents.length > 3 ? ' and more' : ''}; archive it to delete them`,
    )
}

/** The contents of an environment that was added during this request were not checked, so it is not dropped. */
function refuseNewDrop(project: Project, wanted: readonly string[], looked: readonly string[]): void {
  const unseen = project.spec.environments.find(
    (environment) => !wanted.includes(environment) && !looked.includes(environment),
  )
  if (unseen !== undefined)
    throw refuse(`the environment ${unseen} was added meanwhile; read the project again and retry`)
}

/**
 * The region stays while the project has databases on the cluster (docs/reference/projects.md#settings); nodes in it
 * must have the required tags.
 */
function refuseRegion(
  { spec }: Project,
  region: string,
  nodes: readonly TaggedNode[],
  databases: readonly Database[],
): void {
  const refusal = refusalOfRegion(region, spec.requiredTags, nodes, databases)
  if (refusal !== undefined) throw refuse(refusal)
}

/** Throws Problem invalid_request where an environment of this name cannot be added. */
export function refuseUnfit(project: Project, environment: string): void {
  if (namespaceOf(project.metadata.name, environment).length > namespaceMax)
    throw refuse(`project ID plus environment name must be at most ${namespaceMax} characters`)
  if (isLeaving(project, environment))
    throw refuse(`the environment ${environment} is still being deleted; try again in a moment`)
}
