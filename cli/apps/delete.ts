/** `svc apps delete`. */
import { Command } from 'commander'
import { answer, clientOf, confirmDelete, openSession, type Cli, type Session } from '../session/session.ts'

export function deleteApp(cli: Cli): Command {
  return new Command('delete')
    .description('delete a service for good')
    .argument('<app>', 'name of the service')
    .action(async (app: string, _: object, command: Command) => await run(await openSession(cli, command), app))
}

async function run(session: Session, app: string): Promise<void> {
  const client = await clientOf(session)
  await confirmDelete(session, 'service', app)
  const view = await client.call('apps.delete', { app, confirmName: app }, { signal: session.signal })
  await answer(session, view, () => session.terminal.line(`Deleting ${app}`))
}
