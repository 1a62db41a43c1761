/** The log of a deploy's build: from its pod while that runs, and from the kept log afterwards. */
import { type BuildLog, sectionsOf } from '../../kinds/builds/log.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { newestBuild } from '../../kinds/builds/phase.ts'
import { readBuildLog } from '../../records/builds/read-build-log.ts'
import type { AttemptLog } from '../../records/deployments/read-attempt-log.ts'
import { byApp, byBuild, type Caches } from '../context/caches.ts'
import type { Needs } from '../context/needs.ts'
import type { PodSeen } from '../context/trim.ts'

/** The newest build of the attempt: a retry makes another one. */
export function buildOf({ builds }: Caches, app: string, attempt: string): Build | undefined {
  return newestBuild(builds.by(byApp, app).filter(({ spec }) => spec.attempt === attempt))
}

/** A build has one pod at most. */
export function podOfBuild({ pods }: Caches, build: Build): PodSeen | undefined {
  const [pod] = build.metadata.uid === undefined ? [] : pods.by(byBuild, build.metadata.uid)
  return pod
}

/** The kept log of this very build; without a record of the build, whatever is kept. */
export function keptLog(log: AttemptLog | undefined, build: Build | undefined): BuildLog | undefined {
  const kept = log?.build
  return build === undefined || kept?.build === build.metadata.name ? kept?.log : undefined
}

/** The sections of the build's log so far. */
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
