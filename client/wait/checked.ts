/** Waits until the keys of a cloud, or the token of a DNS provider, are seen to be taken or refused. */
import { failed, staleMs, waitUntil, type PollOptions, type Verdict, type WaitResult } from './wait-until.ts'

/** What the last check said (docs/conditions.md). */
export interface Checked {
  readonly ready: boolean
  readonly reason: string
  readonly message: string
}

/** What only a person can correct; everything else may pass. */
const refusals: ReadonlySet<string> = new Set([
  'CredentialsIncomplete',
  'CredentialsInvalid',
  'NotConnected',
  'ProvisionFailed',
])

interface CheckedWait extends PollOptions<Checked | undefined> {
  /** Undefined while an api replica does not show it yet. */
  read: (signal: AbortSignal) => Promise<Checked | undefined>
  /** What was read before it was saved: keys may be replaced without anything else that tells the checks apart. */
  before: Checked | undefined
}

/** @throws ApiError when it may not be read; whatever the signal was aborted with. */
export async function waitForCheck({
  read,
  before,
  ...options
}: CheckedWait): Promise<WaitResult<Checked | undefined>> {
  return await waitUntil<Checked | undefined>({
    ...options,
    read,
    judge: (checked, elapsedMs) => judgeCheck(checked, before, elapsedMs),
    waitingFor: (checked) => checked?.message ?? '',
  })
}

export function judgeCheck(checked: Checked | undefined, before: Checked | undefined, elapsedMs: number): Verdict {
  if (checked === undefined) return { kind: 'waiting' }
  const { ready, reason, message } = checked
  const isOld = before?.ready === ready && before.reason === reason && before.message === message
  if (isOld && elapsedMs < staleMs) return { kind: 'waiting' }
  if (ready) return { kind: 'complete' }
  return refusals.has(reason) ? failed(message) : { kind: 'waiting' }
}
