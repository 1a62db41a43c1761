/**
 * The log of an attempt, a ConfigMap: one line per step and per change of reason, and a failing pod's last lines; it is
 * removed with the deployment record.
 */
import type { V1ConfigMap } from '@kubernetes/client-node'
import { isLostRace } from '../../cluster/objects/errors.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { type Budget, onConflict, perActivity } from '../../records/store/retry.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import type { LogEntry } from '../../kinds/apps/attempt-history.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { attemptLogName, attemptLogPurpose, ownedLabels } from '../../kinds/apps/names.ts'
import { type KeptBuildLog, buildLogKeys, logContainers } from '../../kinds/builds/log.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { isMadeFor } from '../../kinds/secrets/named-secret.ts'
import type { ActivityNeeds } from '../context/needs.ts'

type LogObject = Sent<V1ConfigMap>

/** Also retries when the ConfigMap was created or deleted meanwhile: no other object is written between its reads. */
const budget: Budget = { ...perActivity, isRace: isLostRace }
const longestLine = 2000

/** The last lines of a pod of the attempt, kept after the pod is gone. */
export interface PodTail {
  pod: string
  lines: readonly string[]
}

/** Lines of one part of the attempt, for example of the checks of its commit. */
export interface LogSection {
  id: string
  title: string
  lines: readonly string[]
}

interface LogExtras {
  sections?: readonly LogSection[]
  build?: KeptBuildLog
  tails?: readonly PodTail[]
  /** The image that the copies ran, with its digest: a rollback to this deployment runs it again. */
  image?: string | undefined
  /** Whether no log is expected yet: then it is created without a read, and read only after a conflict. */
  isFirst?: boolean
}

/**
 * Appends lines and tails; an entry that exists already is not added again, so a repetition is harmless. An object of
 * this name that is no log of this service is left unchanged, since the name comes from an annotation; the status has
 * the end of the attempt in any case.
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
