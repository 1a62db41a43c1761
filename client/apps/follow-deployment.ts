/** Follows the log of one deploy until it has ended; a stream that breaks is begun again, without repeated lines. */
import type { z } from 'zod'
import { streamRetryMs } from '../../contract/limits.ts'
import type { deploymentLogLine } from '../../contract/apps/views.ts'
import { isPassing } from '../api-error.ts'
import type { Client } from '../client.ts'
import { SeenLines } from './seen-lines.ts'

export type DeploymentLine = z.output<typeof deploymentLogLine>

export interface FollowOptions {
  signal: AbortSignal
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** A failure after which the stream is begun again; once for several in a row. */
  onTrouble: (error: Error) => void
}

/**
 * Lines of the log until the deploy ends or the signal fires. @throws ApiError when the deploy is gone or its log may
 * not be read.
 */
export async function* followDeploymentLog(
  client: Client,
  deployment: { app: string; id: string },
  { signal, sleep, onTrouble }: FollowOptions,
): AsyncGenerator<DeploymentLine> {
  const seen = new SeenLines()
  let troubled = false
  while (!signal.aborted) {
    try {
      for await (const { event, data } of await client.call('apps.deployment-logs-stream', deployment, { signal })) {
        troubled = false
        if (event === 'end') return
        if (isLine(data) && seen.isNew(data.section, data.t, data.line)) yield data
      }
    } catch (error) {
      if (signal.aborted) return
      if (!isPassing(error)) throw error
      if (!troubled) onTrouble(error)
      troubled = true
    }
    seen.reconnect()
    await sleep(streamRetryMs, signal).catch(() => undefined) // an interrupt ends the loop above
  }
}

export function isLine(data: unknown): data is DeploymentLine {
  return typeof data === 'object' && data !== null && 'section' in data && 'line' in data
}
