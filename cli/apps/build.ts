/** `svc build`: builds the head of the branch again, or ends the build that is open. */
import { Command } from 'commander'
import { CliError } from '../session/exit-codes.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { actAndFollow, waitFlag } from '../wait/follow-deploy.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'

interface BuildFlags extends WaitFlags {
  cancel?: boolean
}

export function build(cli: Cli): Command {
  return new Command('build')
    .description('build the head of the branch again and deploy it')
    .argument('<app>', 'name of the service')
    .option('--cancel', 'end the build that waits or runs, and its deploy with it')
    .option(...waitFlag)
    .option(...timeoutFlag)
    .action(async (app: string, flags: BuildFlags, command: Command) => {
      if (flags.cancel === true && flags.wait === true)
        throw new CliError('usage', '--cancel and --wait cannot be used together')
      await run(await openSession(cli, command), app, flags)
    })
}

async function run(session: Session, app: string, flags: BuildFlags): Promise<void> {
  const { terminal, signal } = session
  const client = await clientOf(session)
  if (flags.cancel === true) {
    const view = await client.call('apps.build-cancel', { app }, { signal })
    return await answer(session, view, () => terminal.line(`Cancelling the build of ${app}`))
  }
  const act = async () => await client.call('apps.build', { app }, { signal })
  if (flags.wait === true)
    return await actAndFollow(session, client, app, flags, async () => void (await act()), {
      leavesPending: true,
    })
  await answer(session, await act(), () => {
    terminal.line(`Build of ${app} accepted`)
    terminal.line(`Follow it with \`svc status ${app}\``)
  })
}
