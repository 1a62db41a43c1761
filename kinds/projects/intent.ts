/** The intent of a project's record, and the state that follows from it: pure functions of the record. */
import type { ResourceState } from '../../contract/fields/words.ts'
import { annotations, finalizers } from '../meta/annotations.ts'
import { readyOf } from '../meta/conditions.ts'
import { digest } from '../meta/digest.ts'
import { deletedBy } from '../provision/deletion-request.ts'
import { editedBy } from '../provision/edited-by.ts'
import { archivedEnvironments } from './archived.ts'
import type { Project } from './kind.ts'

/** The name of the one cluster of an install (docs/reference/projects.md#fields). */
export const theCluster = 'default'

/** A digest of the fields that have effects on the cluster: a renamed project needs no work. */
export function projectIntent(project: Project): string {
  if (project.metadata.deletionTimestamp !== undefined) return digest([project.metadata.uid, 'deleted'])
  const { environments, network, clusterRef } = project.spec
  const archived = archivedEnvironments(project)
  const asked = [
    project.metadata.uid,
    [...environments].sort(),
    network,
    clusterRef,
    project.metadata.annotations?.[annotations.retry],
  ]
  return digest(archived.length === 0 ? asked : [...asked, archived])
}

export interface ProjectPlan {
  /** The action; recorded histories have the field by this name, so the name stays. */
  story: 'rest' | 'settle' | 'remove'
  name: string
  uid: string
  intent: string
  /** Who asked for it, where that is known; recorded histories may lack it. */
  actor?: string
}

export function planOfProject(project: Project): ProjectPlan {
  const intent = projectIntent(project)
  const { name, uid = '', deletionTimestamp } = project.metadata
  if (deletionTimestamp !== undefined)
    return {
      story: project.metadata.finalizers?.includes(finalizers.project) === true ? 'remove' : 'rest',
      name,
      uid,
      intent,
      actor: deletedBy(project.metadata),
    }
  const { observedIntent, acceptedIntent = intent } = project.status ?? {}
  // An intent that was accepted and then changed back may have been applied in part, so it has to be reconciled, too.
  if (intent === observedIntent && intent === acceptedIntent) return { story: 'rest', name, uid, intent }
  return { story: 'settle', name, uid, intent, actor: editedBy(project.metadata) ?? '' }
}

/** The plan of a project whose record is gone. */
export function restingProjectPlan(name: string): ProjectPlan {
  return { story: 'rest', name, uid: '', intent: '' }
}

/** The plan of the project of this name, whether its record exists or not. */
export const projectPlanNow = (name: string, project: Project | undefined): ProjectPlan =>
  project === undefined ? restingProjectPlan(name) : planOfProject(project)

const waiting = 'waiting to be set up'

/** The summary state of a project (docs/reference/conventions.md#resource-summary); a project has no draft. */
export function projectState(project: Project): { state: Exclude<ResourceState, 'draft'>; message: string } {
  const ready = readyOf<'project'>(project.status?.conditions)
  if (project.metadata.deletionTimestamp !== undefined)
    return { state: 'deleting', message: ready?.reason === 'Deleting' ? ready.message : '' }
  const isReady = ready?.status === 'True'
  // While there is work, a Ready condition from before is ignored.
  if (planOfProject(project).story !== 'rest')
    return { state: 'pending', message: isReady ? waiting : (ready?.message ?? waiting) }
  if (isReady) return { state: 'ready', message: '' }
  return { state: ready?.reason === 'ProvisionFailed' ? 'failed' : 'pending', message: ready?.message ?? '' }
}
