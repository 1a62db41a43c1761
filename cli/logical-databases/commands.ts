/** `svc logical-databases`: databases on an existing server; they need no deploy. */
import { Command } from 'commander'
import { createRecord } from '../records/create-record.ts'
import { waitForRecordFlag } from '../records/follow-record.ts'
import { logicalDatabaseKind } from '../records/record-kinds.ts'
import { backupVerb, connectionVerb, deleteVerb, getVerb, listVerb, retryVerb } from '../records/record-verbs.ts'
import { CliError } from '../session/exit-codes.ts'
import { wholeNumber } from '../session/flags.ts'
import { findPlace } from '../session/place.ts'
import { answer, clientOf, openSession, type Cli } from '../session/session.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'
import { defined } from '../../contract/defined.ts'

export function logicalDatabaseCommands(cli: Cli): Command {
  const logical = new Command('logical-databases')
    .aliases(['logical-database', 'logical'])
    .description('work with databases on a server that exists')
  logical
    .addCommand(listVerb(logicalDatabaseKind, cli))
    .addCommand(getVerb(logicalDatabaseKind, cli))
    .addCommand(create(cli))
    .addCommand(set(cli))
    .addCommand(backupVerb(logicalDatabaseKind, cli))
  for (const verb of [retryVerb, deleteVerb, connectionVerb]) logical.addCommand(verb(logicalDatabaseKind, cli))
  return logical
}

interface CreateFlags extends WaitFlags {
  server: string
  database?: string
  connectionLimit?: number
}

interface BackupFlags {
  backups?: boolean
  backupDays?: number
}

function create(cli: Cli): Command {
  return new Command('create')
    .description('create a database on a server that exists; it needs no deploy')
    .argument('[name]', 'name of the logical database; the service picks one if left out')
    .requiredOption('--server <database>', 'the postgres or mysql database, or the shared server, that it lies on')
    .option('--database <name>', 'what it is called on the server (the name, with _ for -)')
    .option('--connection-limit <count>', 'how many connections it may have at once, on the shared server', wholeNumber)
    .option('--backups', 'keep backups of it alone, on the shared server')
    .option('--backup-days <days>', 'for how many days backups are kept', wholeNumber)
    .option(...waitForRecordFlag)
    .option(...timeoutFlag)
    .action(async (name: string | undefined, flags: CreateFlags & BackupFlags, called: Command) => {
      const session = await openSession(cli, called)
      const { server, connectionLimit } = flags
      const database = flags.database ?? name?.replaceAll('-', '_')
      if (database === undefined) throw new CliError('usage', 'say what to call it: a name, or --database')
      await createRecord(session, logicalDatabaseKind, { ...flags, drafts: false }, async (client) => {
        const fields = { server, database, ...defined({ name, connectionLimit }), ...settingsOf(flags) }
        return await client.call(
          'logical-databases.create',
          { ...(await findPlace(session, client)), ...fields },
          { signal: session.signal },
        )
      })
    })
}

/** Only the given flags. */
const settingsOf = ({ backups, backupDays }: BackupFlags) => defined({ backups, backupRetentionDays: backupDays })

/** Of one on the shared server: all of it applies at once. */
function set(cli: Cli): Command {
  return new Command('set')
    .description('change whether a logical database on the shared server is backed up')
    .argument('<logical-database>', 'name of the logical database')
    .option('--backups', 'keep backups of it alone')
    .option('--no-backups', 'keep no backups')
    .option('--backup-days <days>', 'for how many days backups are kept', wholeNumber)
    .action(async (logicalDatabase: string, flags: BackupFlags, called: Command) => {
      const session = await openSession(cli, called)
      const fields = settingsOf(flags)
      const words = Object.keys(fields)
      if (words.length === 0)
        throw new CliError('usage', 'say what to change; `svc logical-databases set --help` lists the settings')
      const client = await clientOf(session)
      const params = { logicalDatabase, ...fields }
      const view = await client.call('logical-databases.update', params, { signal: session.signal })
      await answer(session, view, () => session.terminal.line(`Saved ${words.join(', ')} of ${logicalDatabase}`))
    })
}
