/** `svc apps get`: what a service is; how it is doing is `svc status`. */
import { Command } from 'commander'
import { resourcePairs } from '../output/resource-text.ts'
import { printPairs } from '../output/table.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'

export function get(cli: Cli): Command {
  return new Command('get')
    .description('show a service')
    .argument('<app>', 'name of the service')
    .action(async (app: string, _: object, command: Command) => await run(await openSession(cli, command), app))
}

async function run(session: Session, app: string): Promise<void> {
  const view = await (await clientOf(session)).call('apps.get', { app }, { signal: session.signal })
  await answer(session, view, () => printPairs(session.terminal, resourcePairs(view.resource)))
}
