/** `svc apps deployments`: newest first; the ID is what `svc rollback` takes. */
import { Command } from 'commander'
import { printTable } from '../output/table.ts'
import { timeText } from '../output/value-text.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'

export function deployments(cli: Cli): Command {
  return new Command('deployments')
    .description('list the deployments of a service, newest first')
    .argument('<app>', 'name of the service')
    .action(async (app: string, _: object, command: Command) => await run(await openSession(cli, command), app))
}

async function run(session: Session, app: string): Promise<void> {
  const { terminal } = session
  const view = await (await clientOf(session)).call('apps.deployments', { app }, { signal: session.signal })
  await answer(session, view, async ({ items }) => {
    if (items.length === 0) return terminal.note(`${app} has no deployments yet; \`svc deploy ${app}\` makes the first`)
    await printTable(
      terminal,
      ['id', 'phase', 'image', 'title', 'actor', 'created'],
      items.map((it) => [it.id, it.phase, it.image, it.changeTitle, it.actor, timeText(it.createdAt)]),
    )
  })
}
