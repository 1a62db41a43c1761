/** Recent log lines of a service's pods, read live from the cluster and merged by time. */
import { isInvalid, isNotFound } from '../cluster/errors.ts'
import { readPodLogs } from '../cluster/pod-logs.ts'
import { durationSeconds } from '../contract/log-fields.ts'
import type { View } from '../contract/operations.ts'
import { levelOf, passes, stampedLine } from '../kinds/logs/log-line.ts'
import type { Needs } from './needs.ts'
import type { PodSeen } from './trim.ts'

export interface LogQuery {
  readonly tail: number
  readonly since?: string | undefined
  readonly q?: string | undefined
  readonly level?: string | undefined
  readonly previous?: boolean | undefined
}

export type LogLine = View<'apps.logs'>['lines'][number]

/** Pods read at once, and pods read at all: the newest. */
const readAtOnce = 8
const podsMax = 50
/** A pod's share of one answer. */
const bytesMax = 4 * 1024 * 1024

/**
 * The newest `tail` lines, oldest first; `level` and `q` filter within the newest `tail` lines of each pod. A container that has
 * not started has no lines and is named in the note.
 */
export async function readLogs(needs: Needs, service: string, pods: readonly PodSeen[], query: LogQuery, signal: AbortSignal): Promise<View<'apps.logs'>> {
  const newest = [...pods].sort((a, b) => (createdAt(a) < createdAt(b) ? 1 : -1)).slice(0, podsMax)
  const silent: string[] = []
  const found: LogLine[] = []
  let truncated = pods.length > podsMax
  for (let at = 0; at < newest.length; at += readAtOnce) {
    await Promise.all(
      newest.slice(at, at + readAtOnce).map(async (pod) => {
        const raw = await readPod(needs, pod, query, signal)
        if (raw === undefined) silent.push(pod.metadata.name)
        else if (raw.length >= query.tail) truncated = true
        const lines = (raw ?? []).map((each) => toLine(service, pod, each, query.previous === true))
        for (const line of lines) if (passes(line.line, query)) found.push(line)
      }),
    )
  }
  found.sort((a, b) => (a.t < b.t ? -1 : a.t > b.t ? 1 : 0))
  if (found.length > query.tail) truncated = true
  return { lines: found.slice(-query.tail), services: [service], truncated, note: noteOf(pods, silent.toSorted(), query) }
}

/** The container that runs the service; there is one, and it is the first. */
export const containerOf = (pod: PodSeen): string => pod.spec?.containers?.[0]?.name ?? 'app'

export function toLine(service: string, pod: PodSeen, raw: string, previous: boolean): LogLine {
  const { t, line } = stampedLine(raw)
  return { t, service, pod: pod.metadata.name, container: containerOf(pod), line, level: levelOf(line), previous }
}

/** Undefined when the container has not started, never ran before, or the pod has just gone. */
async function readPod({ client }: Needs, pod: PodSeen, { tail, since = '', previous }: LogQuery, signal: AbortSignal): Promise<string[] | undefined> {
  const sinceSeconds = durationSeconds(since)
  try {
    return await readPodLogs(client, {
      namespace: pod.metadata.namespace ?? '',
      pod: pod.metadata.name,
      container: containerOf(pod),
      tailLines: tail,
      timestamps: true,
      limitBytes: bytesMax,
      signal,
      ...(sinceSeconds === undefined ? {} : { sinceSeconds }),
      ...(previous === true ? { previous } : {}),
    })
  } catch (error) {
    if (isNotFound(error) || isInvalid(error)) return undefined
    throw error
  }
}

function noteOf(pods: readonly PodSeen[], silent: readonly string[], { previous }: LogQuery): string {
  if (pods.length === 0) return 'no copies are running'
  if (silent.length === 0) return ''
  return previous === true ? `no earlier run of ${silent.join(', ')}` : `no log yet of ${silent.join(', ')}`
}

const createdAt = (pod: PodSeen): string => pod.metadata.creationTimestamp ?? ''
