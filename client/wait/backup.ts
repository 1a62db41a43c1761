/** Waits until a backup is verified, has failed, or is gone. */
import type { View } from '../../contract/operations.ts'
import type { Client } from '../client.ts'
import { unlessGone } from './record.ts'
import { failed, type PollOptions, waitUntil, type Verdict, type WaitResult } from './wait-until.ts'

type Backup = View<'databases.get-archive'>

/** @throws ApiError when it is gone, or may not be read; whatever the signal was aborted with. */
export const databaseBackup =
  (client: Client, archive: string) =>
  async (options: PollOptions<Backup>): Promise<WaitResult<Backup>> =>
    await waitUntil<Backup>({
      ...options,
      read: async (signal) => await client.call('databases.get-archive', { archive }, { signal }),
      judge,
      waitingFor: ({ message }) => message,
    })

/** @throws ApiError when it may not be read; whatever the signal was aborted with. */
export const databaseBackupGone =
  (client: Client, archive: string) =>
  async (options: PollOptions<Backup | undefined>): Promise<WaitResult<Backup | undefined>> =>
    await waitUntil<Backup | undefined>({
      ...options,
      read: unlessGone(async (signal) => await client.call('databases.get-archive', { archive }, { signal })),
      judge: (backup) => ({ kind: backup === undefined ? 'complete' : 'waiting' }),
      waitingFor: (backup) => backup?.message ?? '',
    })

function judge({ state, message }: Backup): Verdict {
  if (state === 'deleting') return failed('it is being deleted')
  if (state === 'failed') return failed(message === '' ? 'the service gives no reason' : message)
  return state === 'ready' ? { kind: 'complete' } : { kind: 'waiting' }
}
