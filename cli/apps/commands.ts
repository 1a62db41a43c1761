/** `svc apps`; its verbs also work without it (`svc deploy`, cli/program.ts). */
import { Command } from 'commander'
import { actAndFollowDeletion } from '../records/follow-record.ts'
import { addOperations } from '../operations/operation-command.ts'
import { parseDurationMs } from '../session/flags.ts'
import { placeText } from '../session/place.ts'
import { answer, clientOf, confirmDelete, openSession, type Cli, type Session } from '../session/session.ts'
import { ofApp } from '../wait/follow-deploy.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'
import { attach } from './attach.ts'
import { build } from './build.ts'
import { create } from './create.ts'
import { deployKey } from './deploy-key.ts'
import { deploy, deployments, rollback } from './deploys.ts'
import { gitWebhook } from './git-webhook.ts'
import { logs } from './logs.ts'
import { appRows } from './operations.ts'
import { scale } from './scale.ts'
import { shell } from './shell.ts'
import { get, list, status } from './show.ts'

export function appCommands(cli: Cli): Command {
  const apps = new Command('apps').aliases(['app', 'services', 'service']).description('work with services')
  const verbs = [list, get, create, attach, deleteApp, deployments, deployKey, gitWebhook]
  for (const verb of [...verbs, deploy, build, status, logs, shell, scale, rollback]) apps.addCommand(verb(cli))
  return addOperations(apps, appRows, cli)
}

function deleteApp(cli: Cli): Command {
  return new Command('delete')
    .description('delete a service for good')
    .argument('<app>', 'name of the service')
    .option('--wait', 'wait until it is gone')
    .option(...timeoutFlag)
    .action(
      async (app: string, flags: WaitFlags, command: Command) =>
        await runDelete(await openSession(cli, command), app, flags),
    )
}

async function runDelete(session: Session, app: string, flags: WaitFlags): Promise<void> {
  const { terminal, signal } = session
  const timeoutMs = await parseDurationMs('--timeout', flags.timeout)
  const client = await clientOf(session)
  const read = async (end: AbortSignal) => await client.call('apps.get', { app }, { signal: end })
  const where = async () => await placeText(session, client, (await read(signal)).resource)
  await confirmDelete(session, { kind: 'service', name: app, where })
  const act = async () => await client.call('apps.delete', { app, confirmName: app }, { signal })
  const gone = { name: app, read, concerns: ofApp(app), look: `svc status ${app}`, timeoutMs }
  if (flags.wait === true) return await actAndFollowDeletion(session, client, gone, act)
  await answer(session, await act(), () => terminal.line(`Deleting ${app}`))
}
