/** `svc config get-contexts`: every saved context; tokens are never shown. */
import { Command } from 'commander'
import { printTable } from '../output/table.ts'
import { answer, openSession, type Cli, type Session } from '../session/session.ts'

export function getContexts(cli: Cli): Command {
  return new Command('get-contexts')
    .description('list saved contexts')
    .action(async (_: object, command: Command) => await run(await openSession(cli, command)))
}

async function run(session: Session): Promise<void> {
  const { config, terminal } = session
  const items = Object.entries(config.contexts).map(([name, { token, ...context }]) => ({
    name,
    current: name === config.currentContext,
    signedIn: token !== undefined,
    ...context,
  }))
  await answer(session, { items }, async () => {
    if (items.length === 0) return terminal.note('no saved contexts; `svc login --url ADDRESS` makes one')
    await printTable(
      terminal,
      ['', 'name', 'address', 'project', 'environment', 'signed in'],
      items.map((it) => [it.current ? '*' : '', it.name, it.url, it.project ?? '', it.environment ?? '', it.signedIn ? 'yes' : 'no']),
    )
  })
}
