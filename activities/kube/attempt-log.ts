/**
 * The log object of an attempt: one line per step and per change of reason, and a failing pod's last lines; it goes
 * with the record.
 */
import type { V1ConfigMap } from '@kubernetes/client-node'
import { isLostRace } from '../../cluster/objects/errors.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { type Budget, onConflict, perActivity } from '../../cluster/retry.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import type { LogEntry } from '../../kinds/apps/attempt-history.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { attemptLogName, attemptLogPurpose, ownedLabels } from '../../kinds/apps/names.ts'
import { type KeptBuildLog, buildLogKeys, logContainers } from '../../kinds/builds/log.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { isMadeFor } from '../../kinds/secrets/named-secret.ts'
import type { ActivityNeeds } from '../context/needs.ts'

type LogObject = Sent<V1ConfigMap>

/** The ConfigMap is the only object of this write: one that is made or gone by now is only to be read again. */
const budget: Budget = { ...perActivity, isRace: isLostRace }
const longestLine = 2000

/** The last lines of a pod of the attempt, kept after the pod is gone. */
export interface PodTail {
  pod: string
  lines: readonly string[]
}

/** What a part of the attempt wrote, e.g. its build. */
export interface LogSection {
  id: string
  title: string
  lines: readonly string[]
}

interface LogExtras {
  sections?: readonly LogSection[]
  build?: KeptBuildLog
  tails?: readonly PodTail[]
  /** The image its copies ran, with its digest: what a rollback to this deployment brings back. */
  image?: string | undefined
  /** Whether nothing was logged of the attempt as far as is known: it is read only where that was wrong. */
  isFirst?: boolean
}

/**
 * Appends lines and tails; an entry that is there already is not repeated, so running it twice is harmless. An object
 * of this name that is no log of this service stays as it is: the name comes from an annotation, and the status has the
 * same end.
 */
export async function appendAttemptLog(
  needs: Pick<ActivityNeeds, 'client'>,
  app: App,
  record: string,
  entries: readonly LogEntry[],
  { tails = [], sections = [], build, image, isFirst = false }: LogExtras = {},
): Promise<void> {
  const metadata = metadataOf(app, record)
  const ref = { type: coreTypes.configMap, namespace: systemNamespace, name: metadata.name }
  await onConflict(
    budget,
    async (attempt) => (isFirst && attempt === 1 ? undefined : needs.client.get<LogObject>(ref)),
    async (current) => {
      if (current !== undefined && !isMadeFor(app.metadata.uid, attemptLogPurpose)(current)) return
      const texts = [...tails.map(tailEntry), ...sections.map(sectionEntry), ...buildEntries(build)]
      const data = appended(current?.data, entries, texts, image)
      if (current === undefined)
        await needs.client.create(coreTypes.configMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data })
      else await needs.client.replace(coreTypes.configMap, { ...current, data })
    },
  )
}

function appended(
  data: Record<string, string> | undefined,
  entries: readonly LogEntry[],
  texts: readonly (readonly [key: string, lines: readonly string[]])[],
  image: string | undefined,
): Record<string, string> {
  const steps = new Set((data?.['steps'] ?? '').split('\n').filter((line) => line !== ''))
  for (const { at, text, endSince } of entries) {
    if (endSince === undefined || ![...steps].some((step) => isEnd(step) && step >= endSince))
      steps.add(`${at} ${text.replaceAll('\n', ' ').slice(0, longestLine)}`)
  }
  return {
    ...data,
    // Every line begins with its time, so sorting orders them by time.
    steps: [...steps].sort().join('\n'),
    ...Object.fromEntries(
      texts.map(([key, lines]) => [key, lines.map((line) => line.slice(0, longestLine)).join('\n')]),
    ),
    ...(image === undefined ? {} : { image }),
  }
}

const tailEntry = ({ pod, lines }: PodTail) => [`pod-${pod}`, lines] as const
const sectionEntry = ({ id, title, lines }: LogSection) => [`section-${id}-${title}`, lines] as const

const buildEntries = (kept: KeptBuildLog | undefined) =>
  kept === undefined
    ? []
    : [
        [buildLogKeys.of, [kept.build]] as const,
        ...logContainers.map((name) => [buildLogKeys[name], kept.log[name] ?? []] as const),
      ]

/** Steps begin with their time in RFC 3339, so they compare as texts. */
const isEnd = (step: string): boolean => /^\S+ (Succeeded|Failed): /.test(step)

/** A log goes when its deployment record is pruned, or with the service. */
function metadataOf({ metadata: { name, uid = '' }, spec: { project, environment } }: App, record: string) {
  return {
    name: attemptLogName(record),
    namespace: systemNamespace,
    labels: { ...ownedLabels({ name, uid, project, environment }), [labels.purpose]: attemptLogPurpose },
  }
}
