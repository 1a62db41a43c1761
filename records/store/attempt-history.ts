/**
 * The history of attempts: the lines in the log of one (docs/reference/deployments.md#history-of-an-attempt), and the
 * earlier ones that it supersedes. A log is a ConfigMap with one line per step and per change of reason, and a failing
 * pod's last lines; it is removed with the deployment record. The record `<app>-active` names the release that runs now
 * (docs/reference/deployments.md#deployment-record).
 */
import type { V1ConfigMap } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import { isLostRace } from '../../cluster/objects/errors.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { deploymentRecordsKept } from '../../contract/limits.ts'
import type { Attempt, AttemptEnd } from '../../kinds/apps/deploy/attempt.ts'
import type { FrozenImage } from '../../kinds/apps/deploy/image.ts'
import type { AppSpec } from '../../kinds/apps/kind.ts'
import type { ServiceView } from '../../kinds/apps/view.ts'
import { type KeptBuildLog, buildLogKeys, logContainers } from '../../kinds/builds/log.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { apiVersion, fieldManager, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { isMadeFor } from '../../kinds/secrets/named-secret.ts'
import type { RecordStore } from './record-store.ts'
import { type Budget, onConflict, perActivity } from './retry.ts'

interface HistoryNeeds {
  client: ClusterClient
  deployments: RecordStore<Deployment>
  now: () => Date
}

/** The value of the purpose label on the log ConfigMap of an attempt. */
export const attemptLogPurpose = 'attempt-log'

/** The ConfigMap in svc-system that holds the log lines of one attempt. */
export function attemptLogName(record: string): string {
  return `${record}-log`
}

/** Which operation an attempt is and who asked for it, e.g. `rollback by maria`. */
export const acceptedAs = ({ operation, actor }: Attempt): string => `${operation} by ${actor}`

/** Who asked, from what `acceptedAs` returned. */
export const askerIn = (as: string | undefined): string | undefined => /^\w+ by (.+)$/.exec(as ?? '')?.[1]

/** The message in the status of a service while its attempt runs and nothing else is known. */
export const rollingOut = (record: string): string => `rolling out ${record}`

/** An attempt as its log shows it; `as` is what `acceptedAs` returns. */
export type Accepted = Pick<Attempt, 'record' | 'title' | 'at'> & { as: string }

export const acceptedOf = (attempt: Attempt): Accepted => ({ ...attempt, as: acceptedAs(attempt) })

/** The attempt of a deployment record; undefined for a record that was not written when one was accepted. */
export function acceptedIn({ metadata, spec, status }: Deployment): Accepted | undefined {
  const at = status?.startedAt
  const as = metadata.annotations?.[annotations.acceptedAs] ?? 'deploy'
  return at === undefined ? undefined : { record: metadata.name, title: spec.changeTitle ?? '', at, as }
}

/** The first line of the log of an attempt. */
export const acceptedStep = ({ title, at, as }: Accepted): LogEntry => ({ at, text: `accepted: ${title} (${as})` })

export interface LogEntry {
  at: string
  text: string
  /**
   * Only of the entry for the end of an attempt: the entry is not written where the log has an end at or after this
   * time, so that an attempt ends only once.
   */
  endSince?: string
}

/** The lines that every ended attempt has after its first one. */
export function endSteps(
  record: string,
  { phase, summary, startedAt, completedAt }: AttemptEnd,
  frozen: Pick<FrozenImage, 'image' | 'note'> | undefined,
): LogEntry[] {
  return [
    { at: startedAt, text: `applying release ${record}` },
    ...(frozen === undefined ? [] : [{ at: startedAt, text: frozenImageStep(frozen) }]),
    { at: completedAt, text: `${phase}: ${summary}`, endSince: startedAt },
  ]
}

/** How an attempt with these log lines, oldest first, ended last: a retry may end one again. */
export function endIn(steps: readonly string[]): Pick<AttemptEnd, 'phase' | 'summary'> | undefined {
  const line = steps.findLast(isEnd) ?? ''
  const [found = '', phase] = end.exec(line) ?? []
  return phase === 'Succeeded' || phase === 'Failed' ? { phase, summary: line.slice(found.length) } : undefined
}

function frozenImageStep({ image, note }: Pick<FrozenImage, 'image' | 'note'>): string {
  const [reference, digest] = image.split('@')
  if (digest === undefined) return `image ${image} is taken by its tag: ${note ?? 'its digest is not known'}`
  return `image ${reference} is ${digest}${note === undefined ? '' : ` (${note})`}`
}

/**
 * Which attempts an attempt accepted now supersedes: the current one, and those that it supersedes itself while no
 * worker has started it. A worker that starts an attempt writes the end of the ones before.
 */
export function supersededBy({
  app,
  attempt,
  attemptGoesOn,
}: ServiceView): Pick<Attempt, 'supersedes' | 'alsoSupersedes'> {
  if (attempt === undefined || !attemptGoesOn) return {}
  const { record, supersedes, alsoSupersedes = [] } = attempt
  const unwritten =
    app.status?.lastAttempt?.id === record ? [] : [...(supersedes === undefined ? [] : [supersedes]), ...alsoSupersedes]
  return {
    supersedes: record,
    ...(unwritten.length === 0 ? {} : { alsoSupersedes: unwritten.slice(0, deploymentRecordsKept) }),
  }
}

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
}

/** What the log of an attempt of this service is made with. */
export const attemptLogMeta = ({ labels: of }: ServiceView, record: string) => ({
  name: attemptLogName(record),
  namespace: systemNamespace,
  labels: { ...of.owned, [labels.purpose]: attemptLogPurpose },
})

/**
 * Appends lines and tails; an entry that exists already is not added again, so a repetition is harmless. An object of
 * this name that is no log of this service is left unchanged, since the name comes from an annotation; the status has
 * the end of the attempt in any case.
 */
export async function appendAttemptLog(
  needs: Pick<HistoryNeeds, 'client'>,
  view: ServiceView,
  record: string,
  entries: readonly LogEntry[],
  { tails = [], sections = [], build, image }: LogExtras = {},
): Promise<void> {
  // It goes when its deployment record is pruned, or with the service.
  const metadata = attemptLogMeta(view, record)
  const ref = { type: coreTypes.configMap, namespace: systemNamespace, name: metadata.name }
  await onConflict(
    budget,
    async () => needs.client.get<LogObject>(ref),
    async (current) => {
      if (current !== undefined && !isMadeFor(view.app.metadata.uid, attemptLogPurpose)(current)) return
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
  return {
    ...data,
    steps: withEntries(linesIn(data?.['steps']), entries).join('\n'),
    ...Object.fromEntries(
      texts.map(([key, lines]) => [key, lines.map((line) => line.slice(0, longestLine)).join('\n')]),
    ),
    ...(image === undefined ? {} : { image }),
  }
}

export const linesIn = (steps = ''): string[] => steps.split('\n').filter((line) => line !== '')

/** The lines with those of the entries, each once. Every line begins with its time, so sorting orders them by time. */
export function withEntries(lines: readonly string[], entries: readonly LogEntry[]): string[] {
  const steps = new Set(lines)
  for (const { at, text, endSince } of entries) {
    if (endSince === undefined || ![...steps].some((step) => isEnd(step) && step >= endSince))
      steps.add(`${at} ${text.replaceAll('\n', ' ').slice(0, longestLine)}`)
  }
  return [...steps].sort()
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
const end = /^\S+ (Succeeded|Failed): /
const isEnd = (step: string): boolean => end.test(step)

interface Running {
  phase: 'RollingOut' | 'Available'
  availableReplicas: number
  healthCheck: string
}

/** Writes `<app>-active`, without the app label, so that it is no rollback target. Skipped when nothing changed. */
export async function writeActiveRecord(
  needs: HistoryNeeds,
  view: ServiceView,
  spec: AppSpec,
  running: Running,
): Promise<void> {
  const { app, attempt, image, activeRecord: name, labels: of } = view
  const [, imageDigest] = image.split('@')
  const known = needs.deployments.cache.get(name, systemNamespace)
  const startedAt = attempt?.at ?? app.metadata.creationTimestamp ?? needs.now().toISOString()
  const record = {
    apiVersion,
    kind: resourceTypes.deployment.kind,
    metadata: {
      name,
      namespace: systemNamespace,
      labels: of.record,
      ownerReferences: [
        {
          apiVersion,
          kind: resourceTypes.app.kind,
          name: app.metadata.name,
          uid: app.metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: false,
        },
      ],
    },
    spec: {
      app: app.metadata.name,
      project: spec.project,
      environment: spec.environment,
      image,
      ...(imageDigest === undefined ? {} : { imageDigest }),
      replicas: spec.replicas,
      changeTitle: attempt?.title ?? '',
      source: fieldManager,
      trigger: 'Reconciliation',
    },
    status: {
      phase: running.phase,
      startedAt,
      availableReplicas: running.availableReplicas,
      healthCheck: running.healthCheck,
      ...(running.phase === 'Available'
        ? {
            completedAt:
              known?.status?.phase === 'Available' &&
              known.status.startedAt === startedAt &&
              known.status.completedAt !== undefined
                ? known.status.completedAt
                : needs.now().toISOString(),
          }
        : {}),
    },
  }
  if (
    known?.status?.phase === running.phase &&
    canonical([known.spec, known.status]) === canonical([record.spec, record.status])
  )
    return
  const written = await needs.client.apply<Deployment>(resourceTypes.deployment, record, {
    manager: fieldManager,
    force: true,
  })
  needs.deployments.cache.put(written)
}
