/**
 * The build that the status of a service shows: that of its newest deploy (docs/reference/builds.md#records). A caller
 * that waits reads a failed build as the end of its deploy, so one of an earlier deploy must not be shown.
 */
import type { Build } from '../../kinds/builds/kind.ts'
import { buildName } from '../../kinds/builds/names.ts'
import { newestBuild } from '../../kinds/builds/phase.ts'
import { retryOf } from '../../kinds/apps/git/build-trigger.ts'
import { pinnedTo } from '../../kinds/apps/deploy/image.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'

/** A build, or one that no worker has made yet, which has a name only. */
export type ShownBuild = Pick<Build, 'status'> & { metadata: Pick<Build['metadata'], 'name'> }

/** @param builds those of the service; undefined where its newest deploy has none. */
export function shownBuild(app: App, builds: readonly Build[]): ShownBuild | undefined {
  const { attempt, effectiveSpec, frozenImage, plan } = viewOf(app)
  if (attempt === undefined || effectiveSpec === undefined) return newestBuild(builds)
  if (effectiveSpec.source.git === undefined) return undefined
  if (attempt.operation === 'rollback') return buildOfImage(builds, frozenImage?.image ?? attempt.image)
  const ofAttempt = builds.filter(({ spec }) => spec.attempt === attempt.record)
  const name = buildName(attempt.record, retryOf(app))
  const made = ofAttempt.find(({ metadata }) => metadata.name === name)
  if (made !== undefined) return made
  if (plan.story === 'deploy' && frozenImage === undefined) return { metadata: { name } }
  return newestBuild(ofAttempt) ?? newestBuild(builds)
}

/** A rollback makes no build: what it runs was made by this one, or by one whose record is gone. */
function buildOfImage(builds: readonly Build[], image: string | undefined): Build | undefined {
  const succeeded = builds.filter(({ status }) => status?.phase === 'Succeeded')
  const makers = succeeded.filter(({ status }) => pinnedTo(status?.image ?? '', status?.imageDigest ?? '') === image)
  return newestBuild(makers) ?? newestBuild(succeeded)
}
