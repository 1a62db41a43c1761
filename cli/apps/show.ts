/** `svc apps list`, `svc apps get` and `svc status`: the services, the settings of one, and its state. */
import { Command } from 'commander'
import type { View } from '../../contract/operations.ts'
import { answerList, listFlags, type ListFlags } from '../output/list.ts'
import { moreColumns, resourcePairs } from '../output/resource-text.ts'
import { printPairs } from '../output/table.ts'
import { timeText } from '../output/value-text.ts'
import { parseDurationMs } from '../session/flags.ts'
import { ownerQuery } from '../session/place.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { followDeploy, waitFlag } from '../wait/follow-deploy.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'

export function list(cli: Cli): Command {
  const command = new Command('list')
    .alias('ls')
    .description('list services, of one project with -p and one environment with -e')
  return listFlags(command).action(
    async (flags: ListFlags, called: Command) => await runList(await openSession(cli, called), flags),
  )
}

async function runList(session: Session, flags: ListFlags): Promise<void> {
  const client = await clientOf(session)
  const view = await client.call('apps.list', await ownerQuery(session, client), { signal: session.signal })
  await answerList(session, view, flags, {
    items: view.items,
    columns: {
      name: (it) => it.name,
      project: (it) => it.project,
      environment: (it) => it.environment,
      state: (it) => it.state,
      pending: (it) => String(it.pendingChanges),
      url: (it) => it.url,
      message: (it) => it.message,
    },
    more: moreColumns,
    client,
    none: 'no services here; `svc apps create NAME --image IMAGE` makes one',
  })
}

/** The settings of a service; its state is in `status`. */
export function get(cli: Cli): Command {
  return new Command('get')
    .description('show a service')
    .argument('<app>', 'name of the service')
    .action(async (app: string, _: object, command: Command) => await runGet(await openSession(cli, command), app))
}

async function runGet(session: Session, app: string): Promise<void> {
  const view = await (await clientOf(session)).call('apps.get', { app }, { signal: session.signal })
  await answer(session, view, () => printPairs(session.terminal, resourcePairs(view.resource)))
}

export function status(cli: Cli): Command {
  return new Command('status')
    .description('show how a service is doing')
    .argument('<app>', 'name of the service')
    .option(waitFlag[0], 'wait until the deploy that is going on is complete or has failed')
    .option(...timeoutFlag)
    .action(
      async (app: string, flags: WaitFlags, command: Command) =>
        await runStatus(await openSession(cli, command), app, flags),
    )
}

async function runStatus(session: Session, app: string, { wait, timeout }: WaitFlags): Promise<void> {
  const client = await clientOf(session)
  if (wait === true)
    return await followDeploy(session, client, { app, timeoutMs: await parseDurationMs('--timeout', timeout) })
  const view = await client.call('apps.status', { app }, { signal: session.signal })
  await answer(session, view, () => printPairs(session.terminal, pairsOf(view)))
}

type Attempt = NonNullable<View<'apps.status'>['lastAttempt']>

function pairsOf(it: View<'apps.status'>): [string, string | undefined][] {
  const { replicas, build, lastAttempt, scaleToZero } = it
  return [
    ['name', it.name],
    ['project', `${it.project} ${it.environment}`],
    ['state', it.state],
    ['message', it.message],
    ['url', it.url],
    [
      'copies',
      it.sleeping === true
        ? 'sleeping'
        : `${replicas.ready} of ${replicas.desired} ready, ${replicas.available} available`,
    ],
    ['pending changes', String(it.pendingChanges)],
    ['sleep when idle', scaleToZero === undefined ? '' : (scaleToZero.message ?? `after ${scaleToZero.idleSeconds}s`)],
    [
      'build',
      build === undefined ? '' : [build.phase, build.failureReason, build.sourceRevision].filter(Boolean).join(' '),
    ],
    ['last deploy', lastAttempt === undefined ? '' : attemptText(lastAttempt)],
    ...(lastAttempt?.errors ?? []).map((error): [string, string] => ['error', error]),
  ]
}

/** Its summary is of its end, and says nothing of the copies since. */
function attemptText({ id, phase, summary = '', startedAt, completedAt }: Attempt): string {
  const end = summary === '' ? '' : ` (${summary})`
  const ended = completedAt === undefined ? '' : `, ended ${timeText(completedAt)}`
  return `${id} ${phase}${end}, started ${timeText(startedAt)}${ended}`
}
