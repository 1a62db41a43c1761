/** `svc logical-databases`: databases on an existing server; they need no deploy. */
import { Command } from 'commander'
import { createRecord } from '../records/create-record.ts'
import { waitForRecordFlag } from '../records/follow-record.ts'
import { logicalDatabaseKind } from '../records/record-kinds.ts'
import { connectionVerb, deleteVerb, getVerb, listVerb, retryVerb } from '../records/record-verbs.ts'
import { CliError } from '../session/exit-codes.ts'
import { wholeNumber } from '../session/flags.ts'
import { findPlace } from '../session/place.ts'
import { openSession, type Cli } from '../session/session.ts'
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
  for (const verb of [retryVerb, deleteVerb, connectionVerb]) logical.addCommand(verb(logicalDatabaseKind, cli))
  return logical
}

interface CreateFlags extends WaitFlags {
  server: string
  database?: string
  connectionLimit?: number
}

function create(cli: Cli): Command {
  return new Command('create')
    .description('create a database on a server that exists; it needs no deploy')
    .argument('[name]', 'name of the logical database; the service picks one if left out')
    .requiredOption('--server <database>', 'the postgres or mysql database, or the shared server, that it lies on')
    .option('--database <name>', 'what it is called on the server (the name, with _ for -)')
    .option('--connection-limit <count>', 'how many connections it may have at once, on the shared server', wholeNumber)
    .option(...waitForRecordFlag)
    .option(...timeoutFlag)
    .action(async (name: string | undefined, flags: CreateFlags, called: Command) => {
      const session = await openSession(cli, called)
      const { server, connectionLimit } = flags
      const database = flags.database ?? name?.replaceAll('-', '_')
      if (database === undefined) throw new CliError('usage', 'say what to call it: a name, or --database')
      await createRecord(session, logicalDatabaseKind, { ...flags, drafts: false }, async (client) => {
        const fields = { server, database, ...defined({ name, connectionLimit }) }
        return await client.call(
          'logical-databases.create',
          { ...(await findPlace(session, client)), ...fields },
          { signal: session.signal },
        )
      })
    })
}
