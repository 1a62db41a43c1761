/** The namespaces of a project: created, and emptied and removed when their environment is archived. */
import { defined } from '../../contract/defined.ts'
import { isAlreadyExists } from '../../cluster/objects/errors.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { podSecurityLabels } from '../../kinds/pods/security.ts'
import { egressPolicy, environmentQuota, limitRange, quotaName } from '../../kinds/projects/confinement.ts'
import { environmentNamespace, isolationPolicy, isolationPolicyName } from '../../kinds/projects/manifests.ts'
import { bindEnvironment } from '../../records/projects/environment-bindings.ts'
import { applyChild, type ChildManifest, removeChild } from '../kube/apply-child.ts'
import type { ActivityNeeds, CachedNamespace } from '../context/needs.ts'
import { clearContents, environmentNow, isLeavingNow } from './contents.ts'

export interface EnvironmentState {
  name: string
  namespace: string
  phase: 'Ready' | 'Pending' | 'Failed' | 'Deleting'
  message: string
}

/** Creates the namespace with its bindings, policies and limits; refuses a namespace of another owner. */
export async function reconcileEnvironment(
  needs: ActivityNeeds,
  project: Project,
  environment: string,
): Promise<EnvironmentState> {
  const name = namespaceOf(project.metadata.name, environment)
  const owner = project.metadata.uid ?? ''
  const stateWith = (phase: EnvironmentState['phase'], message = ''): EnvironmentState => ({
    name: environment,
    namespace: name,
    phase,
    message,
  })
  let namespace = await readNamespace(needs, name)
  if (namespace === undefined) {
    try {
      namespace = await needs.client.create<CachedNamespace>(
        coreTypes.namespace,
        environmentNamespace(project, environment, needs.placement.podSecurity),
      )
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      return stateWith('Pending', `waiting for namespace ${name}`)
    }
    // A pass that was cut off may create it after the environment was removed: for a project that is gone no later pass
    // would remove it, and its owner would keep the name for good.
    if ((await environmentNow(needs, project, environment)) !== 'asked') {
      await deleteNamespace(needs, namespace)
      return stateWith('Pending', `waiting for namespace ${name} to be removed`)
    }
    needs.children.namespaces.put(namespace)
  }
  if (namespace.metadata.labels?.[labels.owner] !== owner)
    return stateWith('Failed', `namespace ${name} exists and belongs to another owner`)
  if (namespace.metadata.deletionTimestamp !== undefined)
    return stateWith('Pending', `waiting for namespace ${name} to be deleted before it can be used again`)
  // Binds the api, too, and also if this worker has all rights already: its successor may have fewer.
  await bindEnvironment(needs.client, namespace)
  if (!(await needs.access(namespace))) return stateWith('Pending', `waiting for the rights in namespace ${name}`)
  await Promise.all([labelPodSecurity(needs, namespace), bound(needs, project, environment)])
  const policy = isolationPolicy(project, environment)
  if (policy !== undefined) await applyChild(needs, policy, owner)
  else await removeChild(needs.client, 'NetworkPolicy', name, isolationPolicyName, owner)
  return stateWith('Ready')
}

/** Adds missing Pod Security labels to older namespaces; labels that an administrator has set stay. */
async function labelPodSecurity({ client, children }: ActivityNeeds, { metadata }: CachedNamespace): Promise<void> {
  const missing = Object.entries(podSecurityLabels).filter(([key]) => metadata.labels?.[key] === undefined)
  if (missing.length === 0) return
  const { name, uid, resourceVersion } = metadata
  const ref = { type: coreTypes.namespace, name }
  children.namespaces.put(
    await client.patch<CachedNamespace>(ref, {
      metadata: { uid, resourceVersion, labels: Object.fromEntries(missing) },
    }),
  )
}

/** Applies the limits of an environment: egress policy, LimitRange, and a ResourceQuota if the install sets one. */
async function bound(needs: ActivityNeeds, project: Project, environment: string): Promise<void> {
  const owner = project.metadata.uid ?? ''
  const { quota } = needs.placement
  const wanted: ChildManifest[] = [egressPolicy(project, environment), limitRange(project, environment)]
  if (Object.keys(quota).length > 0) wanted.push(environmentQuota(project, environment, quota))
  else
    await removeChild(needs.client, 'ResourceQuota', namespaceOf(project.metadata.name, environment), quotaName, owner)
  await Promise.all(wanted.map((manifest) => applyChild(needs, manifest, owner)))
}

/** Deletes the contents of an environment, then its namespace; '' once it is gone, else the message of the wait. */
export async function clearEnvironment(needs: ActivityNeeds, project: Project, environment: string): Promise<string> {
  const awaited = await clearContents(needs, project, environment)
  if (awaited !== '') return awaited
  const name = namespaceOf(project.metadata.name, environment)
  const namespace = await readNamespace(needs, name)
  if (namespace === undefined || namespace.metadata.labels?.[labels.owner] !== project.metadata.uid) return ''
  if (namespace.metadata.deletionTimestamp === undefined && (await isLeavingNow(needs, project, environment)))
    await deleteNamespace(needs, namespace)
  return `waiting for namespace ${name} to be removed`
}

async function deleteNamespace({ client }: ActivityNeeds, { metadata: { name, uid } }: CachedNamespace): Promise<void> {
  await client.delete({ type: coreTypes.namespace, name }, defined({ uid }))
}

/** Environments with a namespace of this project, whether its spec still lists them or not. */
export function ownedEnvironments(needs: ActivityNeeds, project: Project): string[] {
  return needs.children.namespaces
    .by('owner', project.metadata.uid ?? '')
    .map((namespace) => namespace.metadata.labels?.[labels.environment] ?? '')
    .filter((name) => name !== '')
}

/** Reads the namespace live, since its existence and its owner decide what may be deleted. */
async function readNamespace(needs: ActivityNeeds, name: string): Promise<CachedNamespace | undefined> {
  return needs.client.get<CachedNamespace>({ type: coreTypes.namespace, name })
}
