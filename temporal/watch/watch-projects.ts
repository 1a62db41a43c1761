/** Wakes a project's workflow when its record has a new intent, or when an object of it is gone or has changed. */
import type { ChildCaches } from '../../activities/context/needs.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { planOfProject } from '../../kinds/projects/intent.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { provisionedKinds } from '../../kinds/meta/resource-types.ts'
import type { ReconciledRecord } from '../../kinds/provision/plan.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { Debounce } from './debounce.ts'
import type { WakeQueue } from './wake-queue.ts'
import type { Watch } from './watch.ts'
import type { DataCaches } from '../caches/worker-caches.ts'
import type { WatchedCaches } from './watch-apps.ts'

export function watchProjects(
  { apps, projects, children, data }: WatchedCaches & { data: DataCaches },
  queue: WakeQueue,
): Watch {
  const check = (name: string, trailing: boolean) => {
    const project = projects.get(name, systemNamespace)
    if (project === undefined || !hasUnacceptedWork(project)) return
    if (trailing) queue.add('project', name, { reason: 'the record asks for something new' })
    else debounce.later(name) // the api that wrote it sends its own wake
  }
  const debounce = new Debounce(check)

  const wakeReconciling = (name: string | undefined, reason: string) => {
    const project = name === undefined ? undefined : projects.get(name, systemNamespace)
    if (project !== undefined && isReconciling(project)) queue.add('project', project.metadata.name, { reason })
  }
  const ofData = ({ type, object }: { type: string; object: ReconciledRecord }) => {
    if (type === 'delete') wakeReconciling(object.spec.project, `${object.metadata.name} is gone`)
  }
  const stops = [
    projects.onChange(({ object }) => debounce.touch(object.metadata.name)),
    apps.onChange(({ type, object }) => {
      if (type === 'delete') wakeReconciling(object.spec.project, `service ${object.metadata.name} is gone`)
    }),
    ...Object.values(provisionedKinds).map(({ records }) => data[records].onChange(ofData)),
    children.namespaces.onChange(({ type, object }) => {
      const name = object.metadata.labels?.[labels.project]
      if (type === 'delete' && name !== undefined && projects.get(name, systemNamespace) !== undefined)
        queue.add('project', name, { reason: `namespace ${object.metadata.name} is gone` })
      else if (type === 'update' && object.metadata.deletionTimestamp !== undefined)
        wakeReconciling(name, `namespace ${object.metadata.name} is being deleted`)
    }),
  ]
  const missingOf = (name: string) => {
    const project = projects.get(name, systemNamespace)
    const lost = project === undefined ? undefined : lostNamespace(project, children)
    return lost === undefined ? undefined : `namespace ${lost} is gone`
  }
  for (const { metadata } of projects.list()) {
    check(metadata.name, true)
    // Finds namespaces that were deleted while no worker ran.
    const reason = missingOf(metadata.name)
    if (reason !== undefined) queue.add('project', metadata.name, { reason })
  }
  return {
    kind: 'project',
    missingOf,
    stop() {
      for (const stop of stops) stop()
      debounce.stop()
    },
  }
}

/** Whether the project has work that no pass has accepted yet. */
export function hasUnacceptedWork(project: Project): boolean {
  const plan = planOfProject(project)
  return plan.story !== 'rest' && plan.intent !== project.status?.acceptedIntent
}

/** A namespace that is missing although the status has its environment as ready. */
function lostNamespace({ status }: Project, { namespaces }: Pick<ChildCaches, 'namespaces'>): string | undefined {
  return status?.environments?.find(
    ({ phase, namespace }) => phase === 'Ready' && namespaces.get(namespace) === undefined,
  )?.namespace
}

function isReconciling(project: Project): boolean {
  return (
    planOfProject(project).story !== 'rest' ||
    project.status?.environments?.some((environment) => environment.phase !== 'Ready') === true
  )
}
