/** The log of the build of a deploy: of its pod while it runs, and as it was kept afterwards. */
import { type BuildLog, sectionsOf } from '../../kinds/builds/log.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { newestBuild } from '../../kinds/builds/phase.ts'
import { readBuildLog } from '../../records/builds/read-build-log.ts'
import type { AttemptLog } from '../../records/deployments/read-attempt-log.ts'
import { byApp, byBuild, type Caches } from '../context/caches.ts'
import type { Needs } from '../context/needs.ts'
import type { PodSeen } from '../context/trim.ts'

/** The newest, where a retry made another one. */
export function buildOf({ builds }: Caches, app: string, attempt: string): Build | undefined {
  return newestBuild(builds.by(byApp, app).filter(({ spec }) => spec.attempt === attempt))
}

/** There is one at most. */
export function podOfBuild({ pods }: Caches, build: Build): PodSeen | undefined {
  const [pod] = build.metadata.uid === undefined ? [] : pods.by(byBuild, build.metadata.uid)
  return pod
}

/** What was kept of this very build; of one whose record is gone, what there is. */
export function keptLog(log: AttemptLog | undefined, build: Build | undefined): BuildLog | undefined {
  const kept = log?.build
  return build === undefined || kept?.build === build.metadata.name ? kept?.log : undefined
}

/** The sections of the build as far as it is. */
export async function buildSections(
  { caches, client }: Pick<Needs, 'caches' | 'client'>,
  { app, id }: { app: string; id: string },
  log: AttemptLog | undefined,
): Promise<AttemptLog['sections']> {
  const build = buildOf(caches, app, id)
  const kept = keptLog(log, build)
  if (kept !== undefined) return sectionsOf(kept)
  const pod = build === undefined ? undefined : podOfBuild(caches, build)
  return pod === undefined ? [] : sectionsOf(await readBuildLog(client, pod.metadata.name))
}
