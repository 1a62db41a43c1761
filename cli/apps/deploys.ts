/**
 * `svc deploy`, `svc rollback` and `svc apps deployments`: apply pending changes, or deploy an earlier deployment
 * again.
 */
import { Command } from 'commander'
import { previousDeployment } from '../../client/apps/changes.ts'
import { printTable } from '../output/table.ts'
import { timeText } from '../output/value-text.ts'
import { CliError } from '../session/exit-codes.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'
import { actAndFollow, waitFlag } from '../wait/follow-deploy.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'

/** Applies pending changes; without any it restarts the copies. */
export function deploy(cli: Cli): Command {
  return new Command('deploy')
    .description('deploy a service')
    .argument('<app>', 'name of the service')
    .option(...waitFlag)
    .option(...timeoutFlag)
    .action(
      async (app: string, flags: WaitFlags, command: Command) =>
        await runDeploy(await openSession(cli, command), app, flags),
    )
}

async function runDeploy(session: Session, app: string, flags: WaitFlags): Promise<void> {
  const { terminal, signal } = session
  const client = await clientOf(session)
  if (flags.wait === true) {
    return await actAndFollow(
      session,
      client,
      app,
      flags,
      async () => void (await client.call('apps.deploy', { app }, { signal })),
    )
  }
  const view = await client.call('apps.deploy', { app }, { signal })
  await answer(session, view, ({ title, detail }) => {
    terminal.line(`Deploy of ${app} accepted${detail === '' ? '' : `: ${plainText(detail || title)}`}`)
    terminal.line(`Follow it with \`svc status ${app}\``)
  })
}

/** Deploys an earlier deployment's image and number of copies again. */
export function rollback(cli: Cli): Command {
  return new Command('rollback')
    .description('go back to an earlier deployment')
    .argument('<app>', 'name of the service')
    .argument('[deployment]', 'ID from `svc apps deployments`; the one before the current if left out')
    .option(...waitFlag)
    .option(...timeoutFlag)
    .action(async (app: string, deployment: string | undefined, flags: WaitFlags, command: Command) => {
      await runRollback(await openSession(cli, command), app, deployment, flags)
    })
}

async function runRollback(
  session: Session,
  app: string,
  deployment: string | undefined,
  flags: WaitFlags,
): Promise<void> {
  const { terminal, signal } = session
  const client = await clientOf(session)
  const revision = deployment ?? (await previousDeployment(client, app, signal))
  if (revision === undefined) throw new CliError('notFound', `${app} has no earlier deployment to go back to`)
  const act = async () => await client.call('apps.rollback', { app, revision }, { signal })
  if (flags.wait === true) return await actAndFollow(session, client, app, flags, async () => void (await act()), true)
  await answer(session, await act(), () => {
    terminal.line(`Rollback of ${app} to ${revision} accepted`)
    terminal.line(`Follow it with \`svc status ${app}\``)
  })
}

/** Newest first; the ID is what `svc rollback` takes. */
export function deployments(cli: Cli): Command {
  return new Command('deployments')
    .description('list the deployments of a service, newest first')
    .argument('<app>', 'name of the service')
    .action(
      async (app: string, _: object, command: Command) => await runDeployments(await openSession(cli, command), app),
    )
}

async function runDeployments(session: Session, app: string): Promise<void> {
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
