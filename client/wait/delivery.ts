/** Waits until an event was delivered to its webhook, or is tried no more (docs/reference/projects.md#delivery). */
import type { View } from '../../contract/operations.ts'
import type { Client } from '../client.ts'
import { unlessGone } from './record.ts'
import { failed, waitUntil, type PollOptions, type Verdict, type WaitResult } from './wait-until.ts'

export type Delivery = View<'runs.get'>

/**
 * @param run the run that delivers it; the status is undefined while Temporal does not list it yet.
 * @throws ApiError when it may not be read; whatever the signal was aborted with.
 */
export const delivery =
  (client: Client, run: string) =>
  async (options: PollOptions<Delivery | undefined>): Promise<WaitResult<Delivery | undefined>> =>
    await waitUntil<Delivery | undefined>({
      ...options,
      read: unlessGone(async (signal) => await client.call('runs.get', { run }, { signal })),
      judge: judgeDelivery,
      waitingFor: lastErrorOf,
    })

export function judgeDelivery(found: Delivery | undefined): Verdict {
  if (found === undefined || found.outcome === 'running') return { kind: 'waiting' }
  if (found.outcome !== 'ended') return failed(found.failure ?? `the run was ${found.outcome}`)
  if (found.phase === 'Withdrawn') return failed('its webhook was disabled or deleted meanwhile')
  return { kind: 'complete' }
}

/** Why the last try failed; '' before one has. */
export const lastErrorOf = (found: Delivery | undefined): string =>
  found?.steps.findLast(({ error }) => error !== undefined)?.error ?? ''
