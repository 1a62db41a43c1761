/** `svc whoami`: who the service says is calling. */
import { Command } from 'commander'
import { printPairs } from '../output/table.ts'
import { timeText } from '../output/value-text.ts'
import { addressOf, answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'

export function whoami(cli: Cli): Command {
  return new Command('whoami')
    .description('show who is signed in, and where')
    .action(async (_: object, command: Command) => await run(await openSession(cli, command)))
}

async function run(session: Session): Promise<void> {
  const client = await clientOf(session)
  const me = await client.call('platform.me', {}, { signal: session.signal })
  await answer(session, me, () =>
    printPairs(session.terminal, [
      ['name', me.username],
      ['role', me.role],
      ['scope', me.scope],
      ['project', me.project],
      ['environment', me.environment],
      ['expires', timeText(me.expiresAt)],
      ['address', addressOf(session)],
      ['context', session.settings().context],
    ]),
  )
}
