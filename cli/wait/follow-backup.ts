/** `--wait` of the commands that take or delete a backup. */
import type { Client } from '../../client/client.ts'
import { databaseBackup, databaseBackupGone } from '../../client/wait/backup.ts'
import type { Change } from '../../client/wait/changes.ts'
import type { View } from '../../contract/operations.ts'
import { CliError } from '../session/exit-codes.ts'
import type { Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'
import { follow, reportEnd, type Work } from './follow.ts'

export const waitForBackupFlag = ['--wait', 'wait until the backup is verified or has failed'] as const

type Backup = View<'databases.get-archive'>

const backupText = (backup: Backup | undefined): string =>
  backup === undefined ? 'gone' : plainText(backup.message === '' ? backup.state : backup.message)

const ofArchive =
  (archive: string) =>
  ({ resource, name }: Change): boolean =>
    resource === 'backup-archives' && name === archive

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
    concerns: ofArchive(archive),
    textOf: backupText,
    wait: databaseBackup(client, archive),
  } as const
  const { outcome, reason, elapsedMs } = await follow(session, client, work)
  if (outcome === 'failed') throw new CliError('deployFailed', `the backup ${archive} failed: ${plainText(reason)}`)
  reportEnd(session, work, elapsedMs)
}

/** Performs `act`, which requests the deletion, and waits until the backup is gone. */
export async function actAndFollowBackupDeletion(
  session: Session,
  client: Client,
  archive: string,
  timeoutMs: number,
  act: () => Promise<unknown>,
): Promise<void> {
  const view = await act()
  const work: Work<Backup | undefined> = {
    name: archive,
    noun: 'deletion',
    goal: 'gone',
    look: 'svc databases archives',
    timeoutMs,
    concerns: ofArchive(archive),
    textOf: backupText,
    wait: databaseBackupGone(client, archive),
  }
  const { elapsedMs } = await follow(session, client, work)
  reportEnd(session, work, elapsedMs)
  // What is gone has no status, so the answer to the deletion is the output.
  if (session.flags.json === true) session.terminal.json(view)
}
