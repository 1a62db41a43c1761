/** The build of what a service was deployed with last. */
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { newestBuild } from '../../kinds/builds/phase.ts'
import { buildName } from '../../kinds/builds/names.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { ActivityNeeds } from './needs.ts'

type Builds = Pick<ActivityNeeds, 'builds'>

/** What the retries of a service's build have in their names; '' before the first. */
export const retryOf = ({ metadata }: App): string => metadata.annotations?.[annotations.retry] ?? ''

/** The build of its last attempt, as the cache has it. */
export function buildOfAttempt({ builds }: Builds, app: App): Build | undefined {
  const { attempt } = viewOf(app)
  return attempt === undefined ? undefined : builds.cache.get(buildName(attempt.record, retryOf(app)), systemNamespace)
}

/**
 * The same, or the newest build where that attempt has none, as a rollback. The times of builds are whole seconds, so
 * of two builds of one second the newest is not always the last.
 */
export const lastBuild = (needs: Builds, app: App): Build | undefined =>
  buildOfAttempt(needs, app) ?? newestBuild(needs.builds.cache.by('app', app.metadata.name))

/** Brings the cache to what the cluster has of the build of the last attempt. */
export async function refreshLastBuild({ builds }: Builds, app: App): Promise<void> {
  const { attempt } = viewOf(app)
  if (attempt !== undefined) await builds.readLive(buildName(attempt.record, retryOf(app)))
}
