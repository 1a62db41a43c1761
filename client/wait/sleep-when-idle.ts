/** Waits until the operator has said whether sleep-when-idle of a service is active, and why not. */
import { sleepCheckSeconds } from '../../contract/limits.ts'
import type { Client } from '../client.ts'
import type { DeployStatus } from './deploy.ts'
import { waitUntil, type PollOptions } from './wait-until.ts'

/** The state of the setting; `active` is absent while the operator has not said. @throws ApiError */
export async function waitForSleepCheck({
  client,
  app,
  ...clock
}: { client: Client; app: string } & Pick<PollOptions<DeployStatus>, 'now' | 'sleep' | 'signal'>): Promise<
  DeployStatus['scaleToZero']
> {
  const { status } = await waitUntil<DeployStatus>({
    ...clock,
    timeoutMs: sleepCheckSeconds * 1000,
    read: async (signal) => await client.call('apps.status', { app }, { signal }),
    judge: ({ scaleToZero }) => ({ kind: scaleToZero?.active === undefined ? 'waiting' : 'complete' }),
    waitingFor: ({ message }) => message,
  })
  return status?.scaleToZero
}
