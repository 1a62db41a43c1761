/** The build of a service's last deploy. */
import { retryOf } from '../../kinds/apps/git/build-trigger.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { newestBuild } from '../../kinds/builds/phase.ts'
import { buildName } from '../../kinds/builds/names.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { ActivityNeeds } from './needs.ts'

type Builds = Pick<ActivityNeeds, 'builds'>

/** The cached build of the service's last attempt. */
export function buildOfAttempt({ builds }: Builds, app: App): Build | undefined {
  const { attempt } = viewOf(app)
  return attempt === undefined ? undefined : builds.cache.get(buildName(attempt.record, retryOf(app)), systemNamespace)
}

/**
 * The same, or the newest build if that attempt has none, as after a rollback. Creation times have whole seconds, so of
 * two builds within one second the newest is not always the last.
 */
export const lastBuild = (needs: Builds, app: App): Build | undefined =>
  buildOfAttempt(needs, app) ?? newestBuild(needs.builds.cache.by('app', app.metadata.name))

/** Reads the build of the last attempt live, and so updates the cache. */
export async function refreshLastBuild({ builds }: Builds, app: App): Promise<void> {
  const { attempt } = viewOf(app)
  if (attempt !== undefined) await builds.readLive(buildName(attempt.record, retryOf(app)))
}
