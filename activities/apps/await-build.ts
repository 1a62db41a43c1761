/**
 * The image of a git service: it is built before any object of the attempt is applied
 * (docs/reference/builds.md#builds-and-deploys).
 */
import { isAlreadyExists } from '../../cluster/objects/errors.ts'
import type { Attempt } from '../../kinds/apps/deploy/attempt.ts'
import { digestIn, type FrozenImage, pinnedTo } from '../../kinds/apps/deploy/image.ts'
import { buildTriggerOf, retryOf } from '../../kinds/apps/git/build-trigger.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { ownedLabels } from '../../kinds/apps/names.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { type Build, buildSpec } from '../../kinds/builds/kind.ts'
import { buildName } from '../../kinds/builds/names.ts'
import { finalizers } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { buildOfAttempt } from '../context/last-build.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { defined } from '../../contract/defined.ts'

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
  return stateOf(found ?? (await makeBuild(needs, newBuild(name, app, spec, attempt))), attempt)
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

async function makeBuild({ builds }: ActivityNeeds, build: Build): Promise<Build> {
  try {
    return await builds.create(build)
  } catch (error) {
    const made = isAlreadyExists(error) ? await builds.readLive(build.metadata.name) : undefined
    if (made === undefined) throw error
    return made
  }
}

function newBuild(name: string, app: App, spec: AppSpec, attempt: Attempt): Build {
  const { connectionRef, repository, branch, commit, dockerfile, context, waitForCI } = spec.source.git ?? {}
  const { project, environment } = spec
  return {
    apiVersion,
    kind: resourceTypes.build.kind,
    metadata: {
      name,
      namespace: systemNamespace,
      labels: ownedLabels({ name: app.metadata.name, uid: app.metadata.uid ?? '', project, environment }),
      finalizers: [finalizers.build],
    },
    spec: buildSpec.parse({
      app: app.metadata.name,
      project,
      environment,
      trigger: buildTriggerOf(attempt, retryOf(app)),
      attempt: attempt.record,
      fresh: attempt.operation === 'build',
      cache: spec.build?.cache ?? true,
      ...defined({
        connectionRef,
        repository,
        branch,
        revision: commit,
        dockerfile,
        context,
        waitForCI,
        registry: spec.build?.registry,
        variables: spec.build?.variables,
      }),
    }),
  }
}
