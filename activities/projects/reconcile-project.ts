/** One pass over a project: creates its environments, empties and removes archived ones, writes its status. */
import { finalizers } from '../../kinds/meta/annotations.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { archivedEnvironments, withArchived } from '../../kinds/projects/archived.ts'
import { planOfProject, projectIntent, theCluster } from '../../kinds/projects/intent.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { withReady, writeStatus } from '../kube/write-status.ts'
import { clearEnvironment, ownedEnvironments, reconcileEnvironment } from './environments.ts'
import type { ProjectPass } from './messages.ts'
import { projectPass } from './pass.ts'
import { defined } from '../../contract/defined.ts'

export const reconcileProject = projectPass(reconcileFound)

async function reconcileFound(needs: ActivityNeeds, found: Project): Promise<ProjectPass> {
  if (planOfProject(found).story === 'remove') return { outcome: 'done', message: '', plan: planOfProject(found) }
  let project = await withFinalizer(needs, found)
  const cluster = project.spec.clusterRef.name
  if (cluster !== theCluster)
    return refuse(needs, project, `cluster ${cluster} is not known: this install has one cluster, ${theCluster}`)
  const kept = await Promise.all(
    project.spec.environments.map((environment) => reconcileEnvironment(needs, project, environment)),
  )
  const noted = [...new Set([...ownedEnvironments(needs, project), ...archivedEnvironments(project)])]
  const archived = noted.filter((environment) => !project.spec.environments.includes(environment))
  const leaving = await Promise.all(
    archived.map(async (environment) => ({
      environment,
      message: await clearEnvironment(needs, project, environment),
    })),
  )
  const failed = kept.find((environment) => environment.phase === 'Failed')
  const message =
    failed?.message ??
    [...kept.map((environment) => environment.message), ...leaving.map((entry) => entry.message)].find(
      (text) => text !== '',
    ) ??
    ''
  const environments = [
    ...kept.map(({ name, namespace, phase }) => ({ name, namespace, phase })),
    ...leaving
      .filter((entry) => entry.message !== '')
      .map(({ environment }) => ({
        name: environment,
        namespace: `${project.metadata.name}-${environment}`,
        phase: 'Deleting',
      })),
  ]
  if (leaving.every((entry) => entry.message === '')) project = await forgetArchived(needs, project)
  const intent = projectIntent(project)
  const done = message === ''
  const conditions = withReady<'project'>(
    project,
    done
      ? { ready: true, reason: 'Ready', message: 'Project environments are ready' }
      : { ready: false, reason: failed === undefined ? 'Progressing' : 'ReconcileError', message },
    needs.now(),
  )
  const written = await writeStatus(needs.client, needs.projects, resourceTypes.project, project, {
    conditions,
    environments,
    clusterRef: project.spec.clusterRef.name,
    acceptedIntent: intent,
    ...defined({ observedGeneration: project.metadata.generation }),
    ...(done ? { observedIntent: intent } : {}),
  })
  const outcome = done ? 'done' : failed === undefined ? 'waiting' : 'failing'
  return { outcome, message, plan: planOfProject(written) }
}

/** Clears the annotation of archived environments, once they are removed. */
async function forgetArchived(needs: ActivityNeeds, project: Project): Promise<Project> {
  const cleared = archivedEnvironments(project)
  if (cleared.length === 0) return project
  const noted = await needs.projects.edit(project.metadata.name, (current) => {
    const rest = archivedEnvironments(current).filter((environment) => !cleared.includes(environment))
    return current.metadata.uid !== project.metadata.uid || rest.length === archivedEnvironments(current).length
      ? undefined
      : withArchived(current, rest)
  })
  return noted ?? project
}

/** Writes a failure-class message, which the workflow counts. */
async function refuse(needs: ActivityNeeds, project: Project, message: string): Promise<ProjectPass> {
  const conditions = withReady<'project'>(project, { ready: false, reason: 'ReconcileError', message }, needs.now())
  const written = await writeStatus(needs.client, needs.projects, resourceTypes.project, project, {
    conditions,
    acceptedIntent: projectIntent(project),
  })
  return { outcome: 'failing', message, plan: planOfProject(written) }
}

async function withFinalizer(needs: ActivityNeeds, project: Project): Promise<Project> {
  if (project.metadata.finalizers?.includes(finalizers.project) === true) return project
  const held = await needs.projects.edit(project.metadata.name, (current) =>
    current.metadata.uid !== project.metadata.uid ||
    current.metadata.deletionTimestamp !== undefined ||
    current.metadata.finalizers?.includes(finalizers.project) === true
      ? undefined
      : {
          ...current,
          metadata: { ...current.metadata, finalizers: [...(current.metadata.finalizers ?? []), finalizers.project] },
        },
  )
  return held ?? project
}
