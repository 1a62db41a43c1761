/** `svc apps list`. */
import { Command } from 'commander'
import { printTable } from '../output/table.ts'
import { ownerQuery } from '../session/place.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'

export function list(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list services, of one project with -p and one environment with -e')
    .action(async (_: object, command: Command) => await run(await openSession(cli, command)))
}

async function run(session: Session): Promise<void> {
  const { terminal, signal } = session
  const client = await clientOf(session)
  const view = await client.call('apps.list', await ownerQuery(session, client), { signal })
  await answer(session, view, async ({ items }) => {
    if (items.length === 0) return terminal.note('no services here; `svc apps create NAME --image IMAGE` makes one')
    await printTable(
      terminal,
      ['name', 'project', 'environment', 'state', 'pending', 'url', 'message'],
      items.map((it) => [it.name, it.project, it.environment, it.state, String(it.pendingChanges), it.url, it.message]),
    )
  })
}
