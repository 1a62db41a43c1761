/** `svc deploy`: applies what is pending; without a change it restarts the copies. */
import { Command } from 'commander'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'
import { actAndFollow, waitFlag } from '../wait/follow-deploy.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'

export function deploy(cli: Cli): Command {
  return new Command('deploy')
    .description('deploy a service')
    .argument('<app>', 'name of the service')
    .option(...waitFlag)
    .option(...timeoutFlag)
    .action(async (app: string, flags: WaitFlags, command: Command) => await run(await openSession(cli, command), app, flags))
}

async function run(session: Session, app: string, flags: WaitFlags): Promise<void> {
  const { terminal, signal } = session
  const client = await clientOf(session)
  if (flags.wait === true) {
    return await actAndFollow(session, client, app, flags, async () => void (await client.call('apps.deploy', { app }, { signal })))
  }
  const view = await client.call('apps.deploy', { app }, { signal })
  await answer(session, view, ({ title, detail }) => {
    terminal.line(`Deploy of ${app} accepted${detail === '' ? '' : `: ${plainText(detail || title)}`}`)
    terminal.line(`Follow it with \`svc status ${app}\``)
  })
}
