/** `--wait` of the commands that take a backup. */
import type { Client } from '../../client/client.ts'
import { databaseBackup } from '../../client/wait/backup.ts'
import type { Change } from '../../client/wait/changes.ts'
import type { View } from '../../contract/operations.ts'
import { CliError } from '../session/exit-codes.ts'
import type { Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'
import { follow, reportEnd } from './follow.ts'

export const waitForBackupFlag = ['--wait', 'wait until the backup is verified or has failed'] as const

/** @throws CliError `deployFailed` where it fails. */
export async function followBackup(
  session: Session,
  client: Client,
  archive: string,
  timeoutMs: number,
): Promise<void> {
  const work = {
    name: archive,
    noun: 'backup',
    goal: 'ready',
    look: 'svc databases archives',
    timeoutMs,
    concerns: ({ resource, name }: Change) => resource === 'backup-archives' && name === archive,
    textOf: ({ state, message }: View<'databases.get-archive'>) => (message === '' ? state : message),
    wait: databaseBackup(client, archive),
  } as const
  const { outcome, reason, elapsedMs } = await follow(session, client, work)
  if (outcome === 'failed') throw new CliError('deployFailed', `the backup ${archive} failed: ${plainText(reason)}`)
  reportEnd(session, work, elapsedMs)
}
