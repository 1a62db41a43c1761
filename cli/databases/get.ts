/** `svc databases get`. */
import { Command } from 'commander'
import { resourcePairs } from '../resource-pairs.ts'
import { answer, clientOf, openSession } from '../session.ts'
import type { Cli, Session } from '../session.ts'
import { printPairs } from '../table.ts'

export function get(cli: Cli): Command {
  return new Command('get')
    .description('show a database')
    .argument('<database>', 'name of the database')
    .action(async (db: string, _: object, command: Command) => await run(await openSession(cli, command), db))
}

async function run(session: Session, db: string): Promise<void> {
  const view = await (await clientOf(session)).call('databases.get', { db }, { signal: session.signal })
  await answer(session, view, () => printPairs(session.terminal, resourcePairs(view.resource)))
}
