/**
 * Makes the record of a build. The worker makes it once it takes the deploy; the api makes it where a build is
 * cancelled before that (docs/reference/builds.md#building-again).
 */
import { isAlreadyExists } from '../../cluster/objects/errors.ts'
import { defined } from '../../contract/defined.ts'
import type { Attempt } from '../../kinds/apps/deploy/attempt.ts'
import { buildTriggerOf, retryOf } from '../../kinds/apps/git/build-trigger.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { ownedLabels } from '../../kinds/apps/names.ts'
import { type Build, buildSpec } from '../../kinds/builds/kind.ts'
import { buildName } from '../../kinds/builds/names.ts'
import { finalizers } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { RecordStore } from '../store/record-store.ts'

/** Its name follows from the attempt, so of two that make it at once one finds that of the other, and answers it. */
export async function makeBuild(builds: Pick<RecordStore<Build>, 'create' | 'readLive'>, build: Build): Promise<Build> {
  try {
    return await builds.create(build)
  } catch (error) {
    const made = isAlreadyExists(error) ? await builds.readLive(build.metadata.name) : undefined
    if (made === undefined) throw error
    return made
  }
}

/** @param spec the effective spec of the service, which is what the attempt deploys */
export function newBuild(app: App, spec: AppSpec, attempt: Attempt): Build {
  const { connectionRef, repository, branch, commit, dockerfile, context, waitForCI } = spec.source.git ?? {}
  const { project, environment } = spec
  return {
    apiVersion,
    kind: resourceTypes.build.kind,
    metadata: {
      name: buildName(attempt.record, retryOf(app)),
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
      ...defined({ connectionRef, repository, branch, revision: commit, dockerfile, context, waitForCI }),
      ...defined({ registry: spec.build?.registry, variables: spec.build?.variables }),
    }),
  }
}
