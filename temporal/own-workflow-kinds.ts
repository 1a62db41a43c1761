/**
 * The kinds with a workflow of their own, each with its activities, its work and its watch: a further kind is one more
 * row. Those that are provisioned in steps have theirs in activities/provisioned-kinds.ts.
 */
import { createAppActivities } from '../activities/apps/activities.ts'
import { createBuildActivities } from '../activities/builds/activities.ts'
import type { ActivityNeeds, PlacementSettings } from '../activities/context/needs.ts'
import { createProjectActivities } from '../activities/projects/activities.ts'
import type { KubeObject } from '../cluster/objects/object.ts'
import type { App } from '../kinds/apps/kind.ts'
import { viewOf } from '../kinds/apps/view.ts'
import { planOfBuild } from '../kinds/builds/plan.ts'
import type { RecordOf } from '../kinds/definitions.ts'
import type { OwnWorkflowKind } from '../kinds/meta/resource-types.ts'
import { planOfProject } from '../kinds/projects/intent.ts'
import type { WorkerCaches } from './caches/worker-caches.ts'
import type { LocalWakes } from './watch/local-wakes.ts'
import type { WakeQueue } from './watch/wake-queue.ts'
import type { Watch } from './watch/watch.ts'
import { watchApps } from './watch/watch-apps.ts'
import { watchBuilds } from './watch/watch-builds.ts'
import { watchProjects } from './watch/watch-projects.ts'

interface WatchMeans {
  caches: WorkerCaches
  queue: WakeQueue
  localWakes: LocalWakes
  placement: PlacementSettings
}

interface Row<K extends OwnWorkflowKind> {
  activities: (needs: ActivityNeeds) => object
  /** Whether the record needs a run: the resync wakes those that do and have none open. */
  hasWork: (record: RecordOf<K>) => boolean
  /** Starts the watch; every record is compared once at the start. */
  watch: (means: WatchMeans) => Watch
}

const rows: { [K in OwnWorkflowKind]: Row<K> } = {
  project: {
    activities: createProjectActivities,
    hasWork: (project) => planOfProject(project).story !== 'rest',
    watch: ({ caches, queue }) => watchProjects(caches, queue),
  },
  app: {
    activities: createAppActivities,
    hasWork: (app) => viewOf(app).plan.story !== 'rest' || isDisturbed(app),
    watch: ({ caches, queue, localWakes, placement }) => watchApps(caches, queue, localWakes, () => placement),
  },
  build: {
    activities: createBuildActivities,
    hasWork: (build) => planOfBuild(build.metadata.name, build).action !== 'rest',
    watch: ({ caches, queue }) => watchBuilds(caches, queue),
  },
}

/** The activities of each of these kinds. */
export const createOwnActivities = (needs: ActivityNeeds): object[] =>
  Object.values(rows).map(({ activities }) => activities(needs))

/** Whether a record of the kind needs a run. */
export function hasWork(kind: OwnWorkflowKind, record: KubeObject): boolean {
  const row: { hasWork: (record: never) => boolean } = rows[kind]
  return row.hasWork(record as never) // callers pass a record of the kind
}

/** Starts the watch of each of these kinds. */
export const watchOwnKinds = (means: WatchMeans): Watch[] => Object.values(rows).map(({ watch }) => watch(means))

/** Whether a service was ready and is not now: its run may have been terminated by hand during a repair. */
function isDisturbed(app: App): boolean {
  return (
    app.spec.deploy.enabled && app.status?.lastAttempt?.phase === 'Succeeded' && viewOf(app).ready?.status !== 'True'
  )
}
