/** `svc projects list`. */
import { Command } from 'commander'
import { printTable } from '../output/table.ts'
import { environmentsOf } from '../session/place.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'

export function list(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list projects')
    .action(async (_: object, command: Command) => await run(await openSession(cli, command)))
}

async function run(session: Session): Promise<void> {
  const { terminal } = session
  const view = await (await clientOf(session)).call('projects.list', {}, { signal: session.signal })
  await answer(session, view, async ({ items }) => {
    if (items.length === 0) return terminal.note('no projects yet; `svc projects create NAME` makes one')
    await printTable(
      terminal,
      ['project', 'name', 'environments', 'state', 'message'],
      items.map((it) => [it.name, it.displayName, environmentsOf(it).join(', '), it.state, it.message]),
    )
  })
}
