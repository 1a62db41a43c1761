/** Reads and follows the log of a container. */
import type { CallOptions, ClusterClient } from './objects/cluster-client.ts'
import { readLines } from './http/lines.ts'
import { objectPath, type Query } from './objects/paths.ts'
import { coreTypes } from './objects/resource-type.ts'
import { defined } from '../contract/defined.ts'

export interface PodLogQuery extends CallOptions {
  namespace: string
  pod: string
  /** Needed when the pod has several. */
  container?: string
  tailLines?: number
  sinceSeconds?: number
  /** RFC 3339; the kubelet looks at whole seconds. */
  sinceTime?: string
  /** The log of the container's previous run. */
  previous?: boolean
  /** Puts an RFC 3339 time and a space in front of each line. */
  timestamps?: boolean
  limitBytes?: number
}

/** The longest line of a followed log, in characters; the rest of a line is dropped. */
const followedLineMax = 64 * 1024

/**
 * Lines without their line breaks. Throws ClusterError: 404 no such pod, 400 the container has not started or never ran
 * before.
 */
export async function readPodLogs(client: ClusterClient, query: PodLogQuery): Promise<string[]> {
  const { signal, timeoutMs } = query
  const text = await client.raw('GET', pathOf(query), {
    query: queryOf(query),
    accept: '*/*',
    ...defined({ signal, timeoutMs }),
  })
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/**
 * The last lines, of at most `limitBytes`. The API server cuts long answers at their end, where the newest lines are:
 * fewer lines are then requested. Throws as `readPodLogs` does.
 */
export async function readPodTail(
  client: ClusterClient,
  query: PodLogQuery & { tailLines: number; limitBytes: number },
): Promise<string[]> {
  for (let wanted = query.tailLines; ; wanted = Math.ceil(wanted / 4)) {
    const lines = await readPodLogs(client, { ...query, tailLines: wanted })
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
    if (wanted <= 1 || bytes < query.limitBytes) return lines
  }
}

/**
 * Yields lines as they are written, until the container ends or the signal fires (then it just ends). `timeoutMs`
 * limits the wait for the stream to open. Throws ClusterError when the connection breaks.
 */
export async function* followPodLogs(
  client: ClusterClient,
  query: Omit<PodLogQuery, 'previous' | 'limitBytes'>,
): AsyncGenerator<string> {
  const { signal, timeoutMs } = query
  try {
    const chunks = await client.stream(pathOf(query), {
      query: { ...queryOf(query), follow: true },
      accept: '*/*',
      silenceMs: 0,
      ...defined({ signal, timeoutMs }),
    })
    for await (const lines of readLines(chunks, followedLineMax)) yield* lines
  } catch (error) {
    if (!signal?.aborted) throw error
  }
}

function pathOf({ namespace, pod }: PodLogQuery): string {
  return objectPath(coreTypes.pod, namespace, pod, 'log')
}

function queryOf({
  container,
  tailLines,
  sinceSeconds,
  sinceTime,
  previous,
  timestamps,
  limitBytes,
}: PodLogQuery): Query {
  return { container, tailLines, sinceSeconds, sinceTime, previous, timestamps, limitBytes }
}
