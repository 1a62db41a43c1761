/** `svc status`: how a service is doing, what it waits for, and how its last deploy went. */
import { Command } from 'commander'
import type { View } from '../../contract/operations.ts'
import { printPairs } from '../output/table.ts'
import { timeText } from '../output/value-text.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'

export function status(cli: Cli): Command {
  return new Command('status')
    .description('show how a service is doing')
    .argument('<app>', 'name of the service')
    .action(async (app: string, _: object, command: Command) => await run(await openSession(cli, command), app))
}

async function run(session: Session, app: string): Promise<void> {
  const view = await (await clientOf(session)).call('apps.status', { app }, { signal: session.signal })
  await answer(session, view, () => printPairs(session.terminal, pairsOf(view)))
}

function pairsOf(it: View<'apps.status'>): [string, string | undefined][] {
  const { replicas, build, lastAttempt, scaleToZero } = it
  return [
    ['name', it.name],
    ['project', `${it.project} ${it.environment}`],
    ['state', it.state],
    ['message', it.message],
    ['url', it.url],
    ['copies', it.sleeping === true ? 'sleeping' : `${replicas.ready} of ${replicas.desired} ready, ${replicas.available} available`],
    ['pending changes', String(it.pendingChanges)],
    ['sleep when idle', scaleToZero === undefined ? '' : (scaleToZero.message ?? `after ${scaleToZero.idleSeconds}s`)],
    ['build', build === undefined ? '' : [build.phase, build.failureReason, build.sourceRevision].filter(Boolean).join(' ')],
    ['last deploy', lastAttempt === undefined ? '' : `${lastAttempt.id} ${lastAttempt.phase}, started ${timeText(lastAttempt.startedAt)}`],
    ['summary', lastAttempt?.summary],
    ...(lastAttempt?.errors ?? []).map((error): [string, string] => ['error', error]),
  ]
}
