/**
 * Whether a project exists and the namespace of its environment is ready; waiting for them is no error
 * (docs/decisions/0003-waiting-is-a-value.md).
 */
import { labels } from '../../kinds/meta/annotations.ts'
import type { EnvironmentReason, ReadyReason } from '../../kinds/meta/condition-reasons.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { ActivityNeeds } from './needs.ts'

export interface Wait<Reason extends ReadyReason<'app'> = EnvironmentReason> {
  reason: Reason
  message: string
}

/**
 * Undefined when the environment is ready. The namespace must have the project's uid as its owner label: another
 * namespace of the name is never taken over.
 */
export async function awaitEnvironment(
  needs: Pick<ActivityNeeds, 'projects' | 'children' | 'access'>,
  { project: projectName, environment }: { project: string; environment: string },
): Promise<Wait | undefined> {
  const project = await needs.projects.read(projectName)
  if (project === undefined) return { reason: 'ProjectMissing', message: `project ${projectName} does not exist` }
  if (project.metadata.deletionTimestamp !== undefined)
    return { reason: 'ProjectDeleting', message: `project ${projectName} is being deleted` }
  if (!project.spec.environments.includes(environment))
    return { reason: 'EnvironmentMissing', message: `project ${projectName} has no environment ${environment}` }
  const name = namespaceOf(projectName, environment)
  const namespace = needs.children.namespaces.get(name)
  if (namespace === undefined)
    return { reason: 'EnvironmentNotReady', message: `waiting for environment ${environment} to be set up` }
  if (namespace.metadata.labels?.[labels.owner] !== project.metadata.uid)
    return { reason: 'NamespaceForeign', message: `namespace ${name} belongs to another owner` }
  if (namespace.metadata.deletionTimestamp !== undefined || namespace.status?.phase === 'Terminating') {
    return {
      reason: 'NamespaceTerminating',
      message: `waiting for namespace ${name} to be deleted before it can be used again`,
    }
  }
  if (!(await needs.access(namespace)))
    return { reason: 'EnvironmentNotReady', message: `waiting for the rights in namespace ${name}` }
  return undefined
}
