/** Keeps what the containers of a build wrote with the log of its deploy, before the pod goes. */

import type { App } from '../../kinds/apps/kind.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import type { BuildLog } from '../../kinds/builds/log.ts'
import { readBuildLog } from '../../records/builds/read-build-log.ts'
import { appendAttemptLog } from '../kube/attempt-log.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import type { LivePod } from './made.ts'

/** Repeating it keeps what can be read then. A log that cannot be read says so, and stops no build. */
export async function keepBuildLog(
  needs: Pick<ActivityNeeds, 'client' | 'log' | 'now'>,
  app: App,
  build: Build,
  pod: LivePod | undefined,
  mask: (line: string) => string,
): Promise<void> {
  const kept = pod === undefined ? { build: [lost(needs.now())] } : await readOf(needs, pod)
  const log = Object.fromEntries(Object.entries(kept).map(([container, lines]) => [container, lines.map(mask)]))
  await appendAttemptLog(needs, app, build.spec.attempt, [], { build: { build: build.metadata.name, log } })
}

function readOf(needs: Pick<ActivityNeeds, 'client' | 'log' | 'now'>, pod: LivePod): Promise<BuildLog> {
  return readBuildLog(needs.client, pod.metadata.name, (container, error) => {
    needs.log.info({ pod: pod.metadata.name, container, error: String(error) }, 'the log of a build could not be read')
    return [lost(needs.now())]
  })
}

const lost = (now: Date): string =>
  `${now.toISOString()} what was written here is lost: the pod of the build cannot be read`
