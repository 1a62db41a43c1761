/** `svc apps`, and the verbs that also work without it (`svc deploy`). */
import { Command } from 'commander'
import { addOperations } from '../operations/operation-command.ts'
import { answer, clientOf, confirmDelete, openSession, type Cli, type Session } from '../session/session.ts'
import { attach } from './attach.ts'
import { build } from './build.ts'
import { create } from './create.ts'
import { deploy, deployments, rollback } from './deploys.ts'
import { logs } from './logs.ts'
import { appRows } from './operations.ts'
import { scale } from './scale.ts'
import { get, list, status } from './show.ts'

export function appCommands(cli: Cli): Command {
  const apps = new Command('apps').aliases(['app', 'services', 'service']).description('work with services')
  for (const verb of [list, get, create, attach, deleteApp, deployments]) apps.addCommand(verb(cli))
  for (const verb of directAppCommands(cli)) apps.addCommand(verb)
  return addOperations(apps, appRows, cli)
}

/** Commands that exist at the top and under `apps` (docs/reference/command-line.md#commands). */
export const directAppCommands = (cli: Cli): Command[] =>
  [deploy, build, status, logs, scale, rollback].map((verb) => verb(cli))

function deleteApp(cli: Cli): Command {
  return new Command('delete')
    .description('delete a service for good')
    .argument('<app>', 'name of the service')
    .action(async (app: string, _: object, command: Command) => await runDelete(await openSession(cli, command), app))
}

async function runDelete(session: Session, app: string): Promise<void> {
  const client = await clientOf(session)
  await confirmDelete(session, 'service', app)
  const view = await client.call('apps.delete', { app, confirmName: app }, { signal: session.signal })
  await answer(session, view, () => session.terminal.line(`Deleting ${app}`))
}
