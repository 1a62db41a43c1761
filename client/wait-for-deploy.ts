/** Waits for the end of a service's deploy. */
import type { Client } from './client.ts'
import { judgeDeploy } from './deploy-verdict.ts'
import type { DeployStatus } from './deploy-verdict.ts'
import { waitUntil } from './wait-until.ts'
import type { Patience, WaitResult } from './wait-until.ts'

export interface WaitOptions extends Patience<DeployStatus> {
  client: Client
  app: string
  /** The status read before the deploy was asked for. */
  before?: DeployStatus
}

/** @throws ApiError when the service is gone or may not be read; whatever the signal was aborted with. */
export async function waitForDeploy({ client, app, before, ...patience }: WaitOptions): Promise<WaitResult<DeployStatus>> {
  return await waitUntil({
    ...patience,
    read: async (signal) => await client.call('apps.status', { app }, { signal }),
    judge: (status, elapsedMs) => judgeDeploy(status, { before, elapsedMs }),
    waitingFor: ({ message }) => message,
  })
}
