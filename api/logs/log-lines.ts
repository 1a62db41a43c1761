/** Recent log lines of pods, read live from the cluster and merged by time. */
import { logAnswerBytes } from '../../contract/process-limits.ts'
import { logPodsMax } from '../../contract/limits.ts'
import { ClusterError, isInvalid, isNotFound } from '../../cluster/objects/errors.ts'
import { readPodLogs, type PodLogQuery } from '../../cluster/pod-logs.ts'
import { durationSeconds } from '../../contract/fields/logs.ts'
import type { View } from '../../contract/operations.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { levelOf, passes, shownLine, stampedLine } from '../../kinds/logs/log-line.ts'
import { byApp, type Caches } from '../context/caches.ts'
import type { Needs } from '../context/needs.ts'
import type { PodSeen } from '../context/trim.ts'
import { defined } from '../../contract/defined.ts'

export interface LogQuery {
  readonly tail: number
  readonly since?: string | undefined
  readonly q?: string | undefined
  readonly level?: string | undefined
  readonly previous?: boolean | undefined
}

/** A pod and the service it belongs to. */
export interface LogSource {
  readonly service: string
  readonly pod: PodSeen
}

/** The pods of this very service: a pod of an earlier service of the same name may still be stopping. */
export function podsOf({ pods }: Caches, { metadata }: App): readonly PodSeen[] {
  return pods.by(byApp, metadata.name).filter((pod) => pod.metadata.labels?.[labels.owner] === metadata.uid)
}

/** As `podsOf`, as sources of log lines. */
export const sourcesOf = (caches: Caches, app: App): LogSource[] =>
  podsOf(caches, app).map((pod) => ({ service: app.metadata.name, pod }))

export type Logs = View<'apps.logs'>
export type LogLine = Logs['lines'][number]

/** How far the log of a pod was sent: the time of the last line, and the number of sent lines with that time. */
export interface LogCursor {
  readonly t: string
  readonly count: number
}

export interface RecentLogs {
  /** Oldest first. */
  readonly lines: LogLine[]
  readonly truncated: boolean
  readonly note: string
  /** The last line read of each pod, by uid; lines that the filter drops count, too. */
  readonly cursors: ReadonlyMap<string, LogCursor>
}

/** How many pods are read at once: each read is a connection to a node. */
const readAtOnce = 8
/** A character at the cut of the largest part of a pod may have another length once decoded. */
const cutSlack = 4

/**
 * The newest `tail` lines of all sources together, oldest first; `level` and `q` filter within the newest `tail` lines
 * of each pod. The note names the pods that could not be read. Throws ClusterError when the API server itself does not
 * answer.
 */
export async function readRecent(
  needs: Needs,
  sources: readonly LogSource[],
  query: LogQuery,
  signal: AbortSignal,
): Promise<RecentLogs> {
  const newest = [...sources].sort((a, b) => (createdAt(a.pod) < createdAt(b.pod) ? 1 : -1)).slice(0, logPodsMax)
  const cursors = new Map<string, LogCursor>()
  const silent: string[] = []
  const failed: string[] = []
  let lines: LogLine[] = []
  let truncated = sources.length > logPodsMax
  for (let at = 0; at < newest.length; at += readAtOnce) {
    const batch = newest.slice(at, at + readAtOnce)
    const reads = await Promise.all(batch.map(({ pod }) => readPod(needs, pod, query, signal)))
    for (const [place, read] of reads.entries()) {
      const source = batch[place]
      if (source === undefined) continue
      if (typeof read === 'string') (read === 'silent' ? silent : failed).push(source.pod.metadata.name)
      else {
        truncated ||= read.truncated
        const all = read.lines.map((raw) => toLine(source, raw, query.previous === true))
        cursors.set(uidOf(source.pod), cursorAfter(all))
        lines.push(...all.filter(({ line }) => passes(line, query)))
      }
    }
    // Only lines that may be in the answer are held while the next pods are read.
    lines.sort((a, b) => (a.t < b.t ? -1 : a.t > b.t ? 1 : 0))
    truncated ||= lines.length > query.tail
    lines = lines.slice(-query.tail)
  }
  const shown = lines.map((each) => ({ ...each, line: shownLine(each.line) }))
  return { lines: shown, truncated, note: noteOf({ sources: sources.length, silent, failed }, query), cursors }
}

export const uidOf = ({ metadata }: PodSeen): string => metadata.uid ?? metadata.name

/** The container of the service: the first and only one. */
export const containerOf = (pod: PodSeen): string => pod.spec?.containers?.[0]?.name ?? 'app'

export function toLine({ service, pod }: LogSource, raw: string, previous: boolean): LogLine {
  const { t, line } = stampedLine(raw)
  return { t, service, pod: pod.metadata.name, container: containerOf(pod), line, level: levelOf(line), previous }
}

/**
 * `silent`: the container has not started, never ran before, or is gone. `failed`: its node does not answer, which is
 * no reason to hide the lines of other pods.
 */
async function readPod({ client, log }: Needs, pod: PodSeen, query: LogQuery, signal: AbortSignal) {
  const sinceSeconds = durationSeconds(query.since ?? '')
  const request = {
    namespace: pod.metadata.namespace ?? '',
    pod: pod.metadata.name,
    container: containerOf(pod),
    timestamps: true,
    signal,
    ...defined({ sinceSeconds }),
    ...(query.previous === true ? { previous: true } : {}),
  }
  try {
    return await readNewest((more) => readPodLogs(client, { ...request, ...more }), query.tail)
  } catch (error) {
    if (isNotFound(error) || isInvalid(error)) return 'silent' as const
    if (signal.aborted || !(error instanceof ClusterError) || error.status < 500) throw error
    log.warn({ pod: pod.metadata.name, error: String(error) }, 'the log of a pod could not be read')
    return 'failed' as const
  }
}

/** The API server cuts long answers at their end, where the newest lines are: fewer lines are then requested. */
async function readNewest(
  read: (more: Pick<PodLogQuery, 'tailLines' | 'limitBytes'>) => Promise<string[]>,
  tail: number,
) {
  for (let wanted = tail; ; wanted = Math.ceil(wanted / 4)) {
    const lines = await read({ tailLines: wanted, limitBytes: logAnswerBytes })
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
    const cut = bytes >= logAnswerBytes - cutSlack
    if (!cut || wanted === 1) return { lines, truncated: cut || lines.length >= wanted }
  }
}

function cursorAfter(lines: readonly LogLine[]): LogCursor {
  const t = lines.reduce((latest, line) => (line.t > latest ? line.t : latest), '')
  return { t, count: lines.filter((line) => line.t === t).length }
}

function noteOf(
  { sources, silent, failed }: { sources: number; silent: string[]; failed: string[] },
  { previous }: LogQuery,
): string {
  if (sources === 0) return 'no copies are running'
  const names = (pods: string[]): string => pods.toSorted().join(', ')
  const parts = [
    ...(sources > logPodsMax ? [`only the newest ${logPodsMax} of ${sources} copies were read`] : []),
    ...(silent.length === 0 ? [] : [`${previous === true ? 'no earlier run of' : 'no log yet of'} ${names(silent)}`]),
    ...(failed.length === 0 ? [] : [`the log of ${names(failed)} could not be read`]),
  ]
  return parts.join('; ')
}

const createdAt = (pod: PodSeen): string => pod.metadata.creationTimestamp ?? ''
