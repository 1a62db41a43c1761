/** `svc databases connection`: where a database is reached; the password only with `--reveal`. */
import { Command } from 'commander'
import { answer, clientOf, openSession } from '../session.ts'
import type { Cli, Session } from '../session.ts'
import { printPairs } from '../table.ts'

interface ConnectionFlags {
  reveal?: true
}

export function connection(cli: Cli): Command {
  return new Command('connection')
    .description('show how a database is reached')
    .argument('<database>', 'name of the database')
    .option('--reveal', 'show the password and the address that holds it; the service logs who asked')
    .action(async (db: string, flags: ConnectionFlags, command: Command) => await run(await openSession(cli, command), db, flags))
}

async function run(session: Session, db: string, { reveal }: ConnectionFlags): Promise<void> {
  const client = await clientOf(session)
  const view = await client.call('databases.connection', reveal === true ? { db, reveal } : { db }, { signal: session.signal })
  const { host, port, database, username, password, uri } = view
  await answer(session, view, () => {
    printPairs(session.terminal, [
      ['host', host],
      ['port', port],
      ['database', database],
      ['username', username],
      ['password', password],
      ['uri', uri],
    ])
  })
}
