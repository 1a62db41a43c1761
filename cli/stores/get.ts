/** `svc stores get`. */
import { Command } from 'commander'
import { resourcePairs } from '../resource-pairs.ts'
import { answer, clientOf, openSession } from '../session.ts'
import type { Cli, Session } from '../session.ts'
import { printPairs } from '../table.ts'

export function get(cli: Cli): Command {
  return new Command('get')
    .description('show a bucket')
    .argument('<store>', 'name of the store')
    .action(async (store: string, _: object, command: Command) => await run(await openSession(cli, command), store))
}

async function run(session: Session, store: string): Promise<void> {
  const view = await (await clientOf(session)).call('object-stores.get', { store }, { signal: session.signal })
  await answer(session, view, () => printPairs(session.terminal, resourcePairs(view.resource)))
}
