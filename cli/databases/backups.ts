/** `svc databases backup`, `archives`, `restore` and `delete-archive`: backups of databases. */
import { Command } from 'commander'
import type { View } from '../../contract/operations.ts'
import { defined } from '../../contract/defined.ts'
import { createRecord } from '../records/create-record.ts'
import { waitForRecordFlag } from '../records/follow-record.ts'
import { databaseKind } from '../records/record-kinds.ts'
import { backupVerb } from '../records/record-verbs.ts'
import { answerList, listFlags, type ListFlags } from '../output/list.ts'
import { parseDurationMs } from '../session/flags.ts'
import { ownerQuery } from '../session/place.ts'
import { answer, clientOf, confirmDelete, openSession, type Cli } from '../session/session.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'
import { actAndFollowBackupDeletion } from '../wait/follow-backup.ts'

export const backupCommands = (cli: Cli): Command[] => [
  backupVerb(databaseKind, cli),
  archives(cli),
  restore(cli),
  deleteArchive(cli),
]

function archives(cli: Cli): Command {
  const command = new Command('archives')
    .description('list the backups that can be restored, of one project with -p')
    .argument('[database]', 'name of the database')
  return listFlags(command).action(async (database: string | undefined, flags: ListFlags, called: Command) => {
    const session = await openSession(cli, called)
    const client = await clientOf(session)
    const { project } = await ownerQuery(session, client)
    const query = defined({ project, database })
    const view = await client.call('databases.archives', query, { signal: session.signal })
    await answerList(session, view, flags, {
      items: view.items,
      columns: {
        name: (it) => it.name,
        database: (it) => it.database,
        engine: (it) => it.engine,
        version: (it) => it.version,
        of: (it) => it.firstRestorePoint ?? '',
        until: (it) => (it.lastRestorePoint === it.firstRestorePoint ? it.noLaterMoments : it.lastRestorePoint) ?? '',
        bytes: (it) => String(it.size ?? ''),
        proven: provenText,
      },
      none: 'no backups here',
    })
  })
}

/** When it was last restored on trial, and the moment that its log led to by then; else how the only drill ended. */
function provenText({ lastProvenAt, drill }: View<'databases.archives'>['items'][number]): string {
  if (lastProvenAt === undefined) return drill?.outcome.toLowerCase() ?? ''
  return drill?.replayedTo === undefined ? lastProvenAt : `${lastProvenAt}, replayed to ${drill.replayedTo}`
}

function restore(cli: Cli): Command {
  return new Command('restore')
    .description('restore a backup into a new database, which gets a login of its own')
    .argument('<archive>', 'name of the backup')
    .option('--point <time>', 'moment to restore, such as 2026-01-31T10:00:00Z (that of the backup)')
    .option(...waitForRecordFlag)
    .option(...timeoutFlag)
    .action(async (archive: string, flags: WaitFlags & { point?: string }, called: Command) => {
      const session = await openSession(cli, called)
      await createRecord(
        session,
        databaseKind,
        { ...flags, deploy: true, drafts: true },
        async (client) =>
          await client.call(
            'databases.restore',
            { archive, ...defined({ restorePoint: flags.point }) },
            { signal: session.signal },
          ),
      )
    })
}

function deleteArchive(cli: Cli): Command {
  return new Command('delete-archive')
    .description('delete a backup with its files for good')
    .argument('<archive>', 'name of the backup')
    .option('--wait', 'wait until it is gone')
    .option(...timeoutFlag)
    .action(async (archive: string, flags: WaitFlags, called: Command) => {
      const session = await openSession(cli, called)
      const timeoutMs = await parseDurationMs('--timeout', flags.timeout)
      const client = await clientOf(session)
      await confirmDelete(session, { kind: 'backup', name: archive })
      const fields = { archive, confirmName: archive }
      const act = async () => await client.call('databases.delete-archive', fields, { signal: session.signal })
      if (flags.wait === true) return await actAndFollowBackupDeletion(session, client, archive, timeoutMs, act)
      await answer(session, await act(), () => session.terminal.line(`Deleting ${archive}`))
    })
}
