/**
 * The history of an attempt (docs/reference/deployments.md#history-of-an-attempt). Its log is a ConfigMap with one line
 * per step and per change of reason, and a failing pod's last lines; it is removed with the deployment record. The
 * record `<app>-active` names the release that runs now (docs/reference/deployments.md#deployment-record).
 */
import type { V1ConfigMap } from '@kubernetes/client-node'
import { isLostRace } from '../../cluster/objects/errors.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { type Budget, onConflict, perActivity } from '../../records/store/retry.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { readPodTail } from '../../cluster/pod-logs.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import type { Health } from '../../kinds/apps/health.ts'
import type { ServiceView } from '../../kinds/apps/view.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { fieldManager } from './apply-child.ts'
import type { LogEntry } from '../../kinds/apps/attempt-history.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import {
  activeRecordName,
  attemptLogName,
  attemptLogPurpose,
  ownedLabels,
  recordLabels,
} from '../../kinds/apps/names.ts'
import { type KeptBuildLog, buildLogKeys, logContainers } from '../../kinds/builds/log.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { isMadeFor } from '../../kinds/secrets/named-secret.ts'
import type { ActivityNeeds } from '../context/needs.ts'

type LogObject = Sent<V1ConfigMap>

/** Also retries when the ConfigMap was created or deleted meanwhile: no other object is written between its reads. */
const budget: Budget = { ...perActivity, isRace: isLostRace }
const longestLine = 2000

/** The last lines of a pod of the attempt, kept after the pod is gone. */
interface PodTail {
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

const tailLines = 50
/** Limit in bytes of all tail lines together, since a single log line may be of any length. */
const tailBytes = 256 * 1024

/** The last log lines of the pod that explains the failure; of a crash-looping pod those of its previous container. */
export async function tailsOf(needs: ActivityNeeds, namespace: string, health: Health): Promise<PodTail[]> {
  if (health.pod === undefined) return []
  const where = {
    namespace,
    pod: health.pod,
    container: 'app',
    tailLines,
    limitBytes: tailBytes,
  }
  // A container that ended and was not restarted yet is the current one, and the kubelet may have dropped the previous.
  for (const previous of health.reason === 'CrashLoop' ? [true, false] : [false])
    try {
      const lines = await readPodTail(needs.client, { ...where, previous })
      if (!previous || !lines.every(isForgotten)) return [{ pod: health.pod, lines }]
    } catch (error) {
      // A container that never started has no log; the steps of the attempt have the reason in any case.
      needs.log.info({ pod: health.pod, error: String(error) }, 'the log of the failed pod could not be read')
    }
  return []
}

/** Whether the line is an error text that the kubelet sends as if it were the log. */
const isForgotten = (line: string): boolean => line.startsWith('unable to retrieve container logs for ')

interface Running {
  phase: 'RollingOut' | 'Available'
  availableReplicas: number
  healthCheck: string
}

/** Writes `<app>-active`, without the app label, so that it is no rollback target. Skipped when nothing changed. */
export async function writeActiveRecord(
  needs: ActivityNeeds,
  view: ServiceView,
  spec: AppSpec,
  running: Running,
): Promise<void> {
  const { app, attempt, image } = view
  const [, imageDigest] = image.split('@')
  const name = activeRecordName(app.metadata.name)
  const known = needs.deployments.cache.get(name, systemNamespace)
  const startedAt = attempt?.at ?? app.metadata.creationTimestamp ?? needs.now().toISOString()
  const record = {
    apiVersion,
    kind: resourceTypes.deployment.kind,
    metadata: {
      name,
      namespace: systemNamespace,
      labels: recordLabels(spec),
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
  if (known !== undefined && canonical([known.spec, known.status]) === canonical([record.spec, record.status])) return
  const written = await needs.client.apply<Deployment>(resourceTypes.deployment, record, {
    manager: fieldManager,
    force: true,
  })
  needs.deployments.cache.put(written)
}
