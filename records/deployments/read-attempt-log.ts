/** Reads the log object of an attempt, the source of the deployment logs once the pods are gone. */
import type { V1ConfigMap } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { buildSections } from '../../contract/fields/words.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { attemptLogName, attemptLogPurpose } from '../store/attempt-history.ts'
import { successOf } from '../store/success-steps.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { type KeptBuildLog, buildLogKeys } from '../../kinds/builds/log.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { defined } from '../../contract/defined.ts'

export interface AttemptLog {
  /** One line per step and per change of reason, oldest first, each beginning with its RFC 3339 time. */
  steps: string[]
  /** The image that its copies ran, with the digest where that was known. */
  image?: string
  /** Last lines of pods that failed. */
  pods: { pod: string; lines: string[] }[]
  /** The checks before its build, and the log of a build that an earlier release of svc wrote. */
  sections: { id: string; title: string; lines: string[] }[]
  build?: KeptBuildLog
}

/** The image that the copies of an attempt ran, with the digest where that was known. */
export async function imageThatRan(
  client: ClusterClient,
  app: App | undefined,
  record: string,
): Promise<string | undefined> {
  const frozen = app?.status?.frozenImage
  if (frozen?.attempt === record) return frozen.image
  return (app && successOf(app, record)?.image) ?? (await readAttemptLog(client, record))?.image
}

/** Undefined when no log was kept for the record; another ConfigMap of that name does not count. */
export async function readAttemptLog(client: ClusterClient, record: string): Promise<AttemptLog | undefined> {
  const found = await client.get<Sent<V1ConfigMap>>({
    type: coreTypes.configMap,
    namespace: systemNamespace,
    name: attemptLogName(record),
  })
  if (found?.metadata.labels?.[labels.purpose] !== attemptLogPurpose) return undefined
  const { steps = '', image, ...others } = found.data ?? {}
  const pods = Object.entries(others).filter(([key]) => key.startsWith('pod-'))
  return {
    steps: linesOf(steps),
    ...defined({ image }),
    pods: pods.map(([key, text]) => ({ pod: key.slice('pod-'.length), lines: linesOf(text) })),
    sections: sectionsIn(others),
    ...defined({ build: buildLogIn(others) }),
  }
}

/** The keys of sections are `section-<id>-<title>`. */
function sectionsIn(data: Record<string, string>): AttemptLog['sections'] {
  return Object.entries(data)
    .flatMap(([key, text]) => {
      const [, id, title] = /^section-([a-z]+)-(.+)$/.exec(key) ?? []
      return id === undefined || title === undefined ? [] : [{ id, title, lines: linesOf(text) }]
    })
    .sort((a, b) => buildSections.indexOf(a.id) - buildSections.indexOf(b.id))
}

function buildLogIn(data: Record<string, string>): KeptBuildLog | undefined {
  const build = data[buildLogKeys.of]
  if (build === undefined) return undefined
  return {
    build,
    log: { clone: linesOf(data[buildLogKeys.clone] ?? ''), build: linesOf(data[buildLogKeys.build] ?? '') },
  }
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n')
}
