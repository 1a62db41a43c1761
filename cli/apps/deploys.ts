/**
 * `svc deploy`, `svc rollback` and `svc apps deployments`: apply pending changes, or deploy an earlier deployment
 * again.
 */
import { Command } from 'commander'
import { previousDeployment } from '../../client/apps/changes.ts'
import { answerList, listFlags, type ListFlags } from '../output/list.ts'
import { timeText } from '../output/value-text.ts'
import { CliError } from '../session/exit-codes.ts'
import { placeText } from '../session/place.ts'
import { answer, clientOf, openSession, fullPlace, type Cli, type Session } from '../session/session.ts'
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
    terminal.line(`Deploy of ${app} accepted${detail === '' ? '' : `: ${detail || title}`}`)
    terminal.line(`Follow it with \`svc status ${app}\``)
  })
}

/** Deploys an earlier deployment's image and number of copies again. */
export function rollback(cli: Cli): Command {
  return new Command('rollback')
    .description('go back to an earlier deployment')
    .argument('<app>', 'name of the service')
    .argument(
      '[deployment]',
      'ID from `svc apps deployments`; the last one before the current that did not fail if left out',
    )
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
  const where = await placeText(session, client, await client.call('apps.status', { app }, { signal }))
  const revision = deployment ?? (await previousDeployment(client, app, signal))
  if (revision === undefined)
    throw new CliError('notFound', `${app} has no earlier deployment to go back to that succeeded`)
  terminal.note(`Rolling ${app} (${fullPlace(session, where)}) back to ${revision}`)
  const act = async () => await client.call('apps.rollback', { app, revision }, { signal })
  if (flags.wait === true)
    return await actAndFollow(session, client, app, flags, async () => void (await act()), { leavesPending: true })
  await answer(session, await act(), () => {
    terminal.line(`Rollback of ${app} to ${revision} accepted`)
    terminal.line(`Follow it with \`svc status ${app}\``)
  })
}

/** Newest first; the ID is what `svc rollback` takes. */
export function deployments(cli: Cli): Command {
  const command = new Command('deployments')
    .description('list the deployments of a service, newest first')
    .argument('<app>', 'name of the service')
  return listFlags(command).action(
    async (app: string, flags: ListFlags, called: Command) =>
      await runDeployments(await openSession(cli, called), app, flags),
  )
}

async function runDeployments(session: Session, app: string, flags: ListFlags): Promise<void> {
  const view = await (await clientOf(session)).call('apps.deployments', { app }, { signal: session.signal })
  await answerList(session, view, flags, {
    items: view.items,
    columns: {
      id: (it) => it.id,
      outcome: (it) => it.outcome ?? '',
      image: (it) => it.image,
      title: (it) => it.changeTitle,
      by: (it) => it.requestedBy ?? it.actor,
      created: (it) => timeText(it.createdAt),
    },
    more: {
      commit: (it) => it.commit,
      trigger: (it) => it.trigger,
      phase: (it) => it.phase,
      actor: (it) => it.actor,
      started: (it) => timeText(it.startedAt),
      completed: (it) => timeText(it.completedAt),
    },
    none: `${app} has no deployments yet; \`svc deploy ${app}\` makes the first`,
  })
}
