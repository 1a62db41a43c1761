/**
 * The image of a git service: it is built before any object of the attempt is applied
 * (docs/reference/builds.md#builds-and-deploys).
 */
import type { Attempt } from '../../kinds/apps/deploy/attempt.ts'
import { digestIn, type FrozenImage, pinnedTo } from '../../kinds/apps/deploy/image.ts'
import { retryOf } from '../../kinds/apps/git/build-trigger.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { buildName } from '../../kinds/builds/names.ts'
import { makeBuild, newBuild } from '../../records/builds/make-build.ts'
import { buildOfAttempt } from '../context/last-build.ts'
import type { ActivityNeeds } from '../context/needs.ts'

export type BuildState =
  { state: 'built'; image: FrozenImage } | { state: 'waiting'; message: string } | { state: 'failed'; message: string }

/** The state of the attempt's build. A deploy creates the build if there is none; repeating it is harmless. */
export async function awaitBuild(
  needs: ActivityNeeds,
  app: App,
  spec: AppSpec,
  attempt: Attempt,
  action: 'deploy' | 'reconcile',
): Promise<BuildState> {
  const known = viewOf(app).frozenImage ?? earlierImage(app, attempt)
  if (known !== undefined) return { state: 'built', image: known }
  if (attempt.operation === 'rollback') return { state: 'failed', message: 'no image of it is known; deploy it again' }
  const name = buildName(attempt.record, retryOf(app))
  const found = await needs.builds.readLive(name)
  if (found === undefined && action === 'reconcile')
    return { state: 'failed', message: 'it has no image; deploy it again' }
  return stateOf(found ?? (await makeBuild(needs.builds, newBuild(app, spec, attempt))), attempt)
}

/** The image for a rollback: the one that the release ran with, else the image in the status; only with a digest. */
function earlierImage(app: App, attempt: Attempt): FrozenImage | undefined {
  if (attempt.operation !== 'rollback') return undefined
  const image = attempt.image ?? app.status?.image ?? ''
  return digestIn(image) === '' ? undefined : { attempt: attempt.record, image, note: 'as it ran before' }
}

/** When the build of the current attempt ended, in milliseconds since 1970; 0 while it has not. */
export function builtAt(needs: Pick<ActivityNeeds, 'builds'>, app: App): number {
  const build = buildOfAttempt(needs, app)
  return Date.parse(build?.status?.completedAt ?? '') || 0
}

function stateOf({ metadata, status }: Build, attempt: Attempt): BuildState {
  const { phase = 'Pending', image = '', imageDigest, failureReason = 'no reason is known', message } = status ?? {}
  if (phase === 'Succeeded' && imageDigest !== undefined)
    return {
      state: 'built',
      image: { attempt: attempt.record, image: pinnedTo(image, imageDigest), note: `of build ${metadata.name}` },
    }
  if (phase === 'Failed' || phase === 'Cancelled' || phase === 'Succeeded')
    return { state: 'failed', message: phase === 'Failed' ? `the build failed: ${failureReason}` : failureReason }
  return {
    state: 'waiting',
    message: `build ${metadata.name}: ${message ?? 'waiting to start'}`,
  }
}
