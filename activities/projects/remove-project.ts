/**
 * One pass of a project's deletion: services first, then databases and buckets, namespaces, then its objects in
 * svc-system, the record last.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { finalizers, labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { planOfProject, projectIntent, restingProjectPlan } from '../../kinds/projects/intent.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { ReconciledRecord } from '../../kinds/provision/plan.ts'
import { kindsIn, provisionedKinds, resourceTypes } from '../../kinds/meta/resource-types.ts'
import { removeSeen } from '../../records/secrets/named-secret.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { withReady, writeStatus } from '../kube/write-status.ts'
import { askedWith, filledEnvironments } from './contents.ts'
import { clearEnvironment, ownedEnvironments } from './environments.ts'
import type { ProjectPass } from './messages.ts'
import { projectPass } from './pass.ts'

export const removeProject = projectPass(removeFresh)

async function removeFresh(needs: ActivityNeeds, project: Project): Promise<ProjectPass> {
  const plan = planOfProject(project)
  if (plan.story !== 'remove') return { outcome: 'done', message: '', plan }
  const environments = [
    ...new Set([
      ...project.spec.environments,
      ...ownedEnvironments(needs, project),
      ...(await filledEnvironments(needs, project)),
    ]),
  ]
  const awaited = (
    await Promise.all(environments.map((environment) => clearEnvironment(needs, project, environment)))
  ).filter((message) => message !== '')
  const message = awaited[0] ?? (await removeOfProject(needs, project))
  if (message !== '') {
    const conditions = withReady<'project'>(project, { ready: false, reason: 'Deleting', message }, needs.now())
    const written = await writeStatus(needs.client, needs.projects, resourceTypes.project, project, {
      conditions,
      acceptedIntent: projectIntent(project),
    })
    return { outcome: 'waiting', message, plan: planOfProject(written) }
  }
  await removeBelongings(needs, project)
  await needs.projects.edit(project.metadata.name, (current) =>
    current.metadata.uid === project.metadata.uid
      ? {
          ...current,
          metadata: {
            ...current.metadata,
            finalizers: (current.metadata.finalizers ?? []).filter((entry) => entry !== finalizers.project),
          },
        }
      : undefined,
  )
  await needs.projects.readLive(project.metadata.name)
  return { outcome: 'done', message: '', plan: restingProjectPlan(project.metadata.name) }
}

/**
 * Deletes tokens, shared secrets and leftover history (docs/reference/projects.md#deleting-a-project), after all
 * records that used them.
 */
async function removeBelongings(needs: ActivityNeeds, project: Project): Promise<void> {
  for (const type of [coreTypes.secret, coreTypes.configMap, resourceTypes.deployment]) {
    const { items } = await needs.client.list<KubeObject>(type, {
      namespace: systemNamespace,
      labelSelector: `${labels.project}=${project.metadata.name}`,
      metadataOnly: true,
    })
    await Promise.all(items.map((item) => removeSeen(needs.client, type, item)))
  }
}

/**
 * Requests the deletion of records that belong to the project as a whole, such as cloud connections; '' when none is
 * left, else the message of the wait. They are found by their spec, since one made with kubectl has no label.
 */
async function removeOfProject(needs: ActivityNeeds, project: Project): Promise<string> {
  const asked = askedWith(needs, project)
  for (const kind of kindsIn('project')) {
    const listed = async () => {
      const type = resourceTypes[kind]
      const { items } = await needs.client.list<KubeObject & ReconciledRecord>(type, { namespace: systemNamespace })
      return items.filter(({ spec }) => spec.project === project.metadata.name)
    }
    const { one, records } = provisionedKinds[kind]
    const own = (await listed()).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    await Promise.all(own.map(({ metadata: { name, uid = '' } }) => needs[records].remove(name, uid, asked)))
    const left = await listed()
    if (left.length > 0) return `waiting for ${left.length} ${one}${left.length === 1 ? '' : 's'} to be removed`
  }
  return ''
}
