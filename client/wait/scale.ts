/** Waits until as many copies run as a service was scaled to. */
import type { Client } from '../client.ts'
import type { DeployStatus } from './deploy.ts'
import { failed, staleMs, waitUntil, type PollOptions, type Verdict, type WaitResult } from './wait-until.ts'

/** @throws ApiError when the service is gone or may not be read; whatever the signal was aborted with. */
export async function waitForScale({
  client,
  app,
  replicas,
  ...options
}: PollOptions<DeployStatus> & { client: Client; app: string; replicas: number }): Promise<WaitResult<DeployStatus>> {
  return await waitUntil({
    ...options,
    read: async (signal) => await client.call('apps.status', { app }, { signal }),
    judge: (status, elapsedMs) => judgeScale(status, replicas, elapsedMs),
    waitingFor: ({ message }) => message,
  })
}

/** Where CPU autoscaling or sleep-when-idle decides on another number, a ready that lasts is the end. */
export function judgeScale(
  { state, message, replicas, sleeping }: DeployStatus,
  wanted: number,
  elapsedMs: number,
): Verdict {
  const trusted = elapsedMs >= staleMs
  if (state === 'deleting') return failed('the service is being deleted')
  if (state === 'draft') return failed('it is a draft: the number counts from its first deploy')
  if (state === 'failed' && trusted) return failed(message === '' ? 'the service gives no reason' : message)
  const { desired, ready } = replicas
  const complete = state === 'ready' && (sleeping === true || ready === desired) && (desired === wanted || trusted)
  return { kind: complete ? 'complete' : 'waiting' }
}
