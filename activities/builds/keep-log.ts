/** Keeps what the containers of a build wrote with the log of its deploy, before the pod goes. */

import { readPodTail } from '../../cluster/pod-logs.ts'
import type { BuildCredentials } from '../../kinds/builds/job.ts'
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

/** A container that never started has no log, and an unreadable one stops no build. */
export async function keepBuildLog(
  needs: Pick<ActivityNeeds, 'client' | 'log'>,
  app: App,
  build: Build,
  pod: LivePod | undefined,
  credentials: BuildCredentials,
): Promise<void> {
  if (pod === undefined) return
  const secrets = secretsIn(credentials)
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
      sections.push({ id, title, lines: lines.map((line) => withoutSecrets(line, secrets)) })
    } catch (error) {
      needs.log.info(
        { pod: pod.metadata.name, container, error: String(error) },
        'the log of a build could not be read',
      )
    }
  }
  await appendAttemptLog(needs, app, build.spec.attempt, [], { sections })
}

/** What a build step printed of what it should not have. */
function secretsIn({ git, registry }: BuildCredentials): string[] {
  const logins = Object.values(parsed(registry).auths ?? {}).flatMap(({ password = '', auth = '' }) => [password, auth])
  return [git['token'] ?? '', ...logins].filter((value) => value.length >= 6)
}

function parsed(text: string): { auths?: Record<string, { password?: string; auth?: string }> } {
  try {
    return text === '' ? {} : (JSON.parse(text) as object)
  } catch {
    return {} // the registry refuses such a login, and there is nothing to find in it
  }
}

const withoutSecrets = (line: string, secrets: readonly string[]): string =>
  secrets.reduce((text, secret) => text.replaceAll(secret, '***'), line)
