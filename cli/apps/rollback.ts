/** `svc rollback`: deploys an earlier deployment's image and number of copies again. */
import { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { CliError } from '../session/exit-codes.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { actAndFollow, waitFlag } from '../wait/follow-deploy.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'

export function rollback(cli: Cli): Command {
  return new Command('rollback')
    .description('go back to an earlier deployment')
    .argument('<app>', 'name of the service')
    .argument('[deployment]', 'ID from `svc apps deployments`; the one before the current if left out')
    .option(...waitFlag)
    .option(...timeoutFlag)
    .action(async (app: string, deployment: string | undefined, flags: WaitFlags, command: Command) => {
      await run(await openSession(cli, command), app, deployment, flags)
    })
}

async function run(session: Session, app: string, deployment: string | undefined, flags: WaitFlags): Promise<void> {
  const { terminal, signal } = session
  const client = await clientOf(session)
  const revision = deployment ?? (await previousOf(client, app, signal))
  const act = async () => await client.call('apps.rollback', { app, revision }, { signal })
  if (flags.wait === true) return await actAndFollow(session, client, app, flags, async () => void (await act()))
  await answer(session, await act(), () => {
    terminal.line(`Rollback of ${app} to ${revision} accepted`)
    terminal.line(`Follow it with \`svc status ${app}\``)
  })
}

/** The list is newest first. The operator's own record `<app>-active` mirrors the current one and is no target. */
async function previousOf(client: Client, app: string, signal: AbortSignal): Promise<string> {
  const { items } = await client.call('apps.deployments', { app }, { signal })
  const [, previous] = items.filter(({ id }) => id !== `${app}-active`)
  if (previous === undefined) throw new CliError('notFound', `${app} has no earlier deployment to go back to`)
  return previous.id
}
