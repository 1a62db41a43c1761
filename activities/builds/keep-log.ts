/** Copies the container logs of a build into the log of its deploy, before the pod is removed. */
import type { App } from '../../kinds/apps/kind.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { type BuildLog, type LogContainer, logContainers } from '../../kinds/builds/log.ts'
import { readBuildLog } from '../../records/builds/read-build-log.ts'
import { readAttemptLog } from '../../records/deployments/read-attempt-log.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { appendAttemptLog } from '../../records/store/attempt-history.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import type { LivePod } from './made.ts'

/**
 * Repeating it keeps the logs that can be read then; where one cannot be read any more, the text of an earlier pass
 * stays. If no pass could read it, a line in its place says so; the build goes on.
 */
export async function keepBuildLog(
  needs: Pick<ActivityNeeds, 'client' | 'log' | 'now'>,
  app: App,
  build: Build,
  pod: LivePod | undefined,
  mask: (line: string) => string,
): Promise<void> {
  const unread: LogContainer[] = pod === undefined ? [...logContainers] : []
  const onUnread = (container: LogContainer, error: unknown): string[] => {
    needs.log.info({ pod: pod?.metadata.name, container, error: String(error) }, 'the log of a build could not be read')
    unread.push(container)
    return []
  }
  const read = pod === undefined ? {} : await readBuildLog(needs.client, pod.metadata.name, onUnread)
  const log = Object.fromEntries(Object.entries(read).map(([container, lines]) => [container, lines.map(mask)]))
  const gone = unread.length === 0 ? {} : await keptBefore(needs, build, unread)
  const kept = { build: build.metadata.name, log: { ...log, ...gone } }
  await appendAttemptLog(needs, viewOf(app), build.spec.attempt, [], { build: kept })
}

async function keptBefore(
  { client, now }: Pick<ActivityNeeds, 'client' | 'now'>,
  { metadata, spec }: Build,
  containers: readonly LogContainer[],
): Promise<BuildLog> {
  const before = (await readAttemptLog(client, spec.attempt))?.build
  const known = before?.build === metadata.name ? before.log : {}
  const lost = `${now().toISOString()} what was written here is lost: the pod of the build cannot be read`
  return Object.fromEntries(
    containers.map((container) => {
      const lines = known[container] ?? []
      return [container, lines.length === 0 ? [lost] : lines]
    }),
  )
}
