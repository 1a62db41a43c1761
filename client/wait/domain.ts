/** Waits until the domain of the platform is verified (docs/reference/platform.md). */
import type { ParamsInput, View } from '../../contract/operations.ts'
import type { Client } from '../client.ts'
import { failed, staleMs, waitUntil, type PollOptions, type Verdict, type WaitResult } from './wait-until.ts'

export type Domain = View<'settings.domain'>

/** What was saved: a replica of the api whose cache is behind still shows the domain before. */
export type SavedDomain = Pick<ParamsInput<'settings.domain-save'>, 'rootDomain' | 'dashboardURL' | 'dashboardExposure'>

/** @throws ApiError when it may not be read; whatever the signal was aborted with. */
export async function waitForDomain({
  client,
  saved,
  ...options
}: PollOptions<Domain> & { client: Client; saved: SavedDomain }): Promise<WaitResult<Domain>> {
  return await waitUntil<Domain>({
    ...options,
    read: async (signal) => await client.call('settings.domain', {}, { signal }),
    judge: (domain, elapsedMs) => judgeDomain(domain, saved, elapsedMs),
    waitingFor: ({ message }) => message,
  })
}

/** A check that has timed out goes on ever more rarely: by then a person has to look. */
export function judgeDomain(domain: Domain, saved: SavedDomain, elapsedMs: number): Verdict {
  const { ready, reason, message } = domain
  // An empty text stands for what follows from the rest.
  const isOld = (['rootDomain', 'dashboardURL', 'dashboardExposure'] as const).some(
    (field) => (saved[field] ?? '') !== '' && saved[field] !== domain[field],
  )
  if (isOld) return { kind: 'waiting' }
  if (ready) return { kind: 'complete' }
  const over = reason === 'VerificationTimedOut' || reason === 'NoDomain'
  return over && elapsedMs >= staleMs ? failed(message) : { kind: 'waiting' }
}
