/** Keeps what the containers of a build wrote with the log of its deploy, before the pod goes. */

import { readPodTail } from '../../cluster/pod-logs.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { buildsNamespace } from '../../kinds/builds/place.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { appendAttemptLog, type LogSection } from '../kube/attempt-log.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import type { LivePod } from './made.ts'

/** The log object has a megabyte for everything; lines beyond these are those before. */
const kept = [
  { container: 'clone', id: 'clone', title: 'Clone', tailLines: 500, limitBytes: 50_000 },
  { container: 'build', id: 'build', title: 'Build', tailLines: 5_000, limitBytes: 400_000 },
] as const

/** A container that never started has no log, and an unreadable one stops no build. `mask` takes secrets out. */
export async function keepBuildLog(
  needs: Pick<ActivityNeeds, 'client' | 'log'>,
  app: App,
  build: Build,
  pod: LivePod | undefined,
  mask: (line: string) => string,
): Promise<void> {
  if (pod === undefined) return
  const sections: LogSection[] = []
  for (const { container, id, title, tailLines, limitBytes } of kept) {
    try {
      const lines = await readPodTail(needs.client, {
        namespace: buildsNamespace,
        pod: pod.metadata.name,
        container,
        tailLines,
        limitBytes,
      })
      sections.push({ id, title, lines: lines.map(mask) })
    } catch (error) {
      needs.log.info(
        { pod: pod.metadata.name, container, error: String(error) },
        'the log of a build could not be read',
      )
    }
  }
  await appendAttemptLog(needs, app, build.spec.attempt, [], { sections })
}
