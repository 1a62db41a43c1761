/** `svc whoami`: the caller as the api identifies it; `svc logout`: deletes the saved token of a context. */
import { Command } from 'commander'
import { printPairs } from '../output/table.ts'
import { timeText } from '../output/value-text.ts'
import { writeConfig } from '../session/config-file.ts'
import { CliError } from '../session/exit-codes.ts'
import { addressOf, answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'

export function whoami(cli: Cli): Command {
  return new Command('whoami')
    .description('show who is signed in, and where')
    .action(async (_: object, command: Command) => await runWhoami(await openSession(cli, command)))
}

async function runWhoami(session: Session): Promise<void> {
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
      ['context', session.target().context],
    ]),
  )
}

export function logout(cli: Cli): Command {
  return new Command('logout')
    .description('forget the saved login; the token itself stays valid until it expires or is revoked')
    .action(async (_: object, command: Command) => await runLogout(await openSession(cli, command)))
}

async function runLogout(session: Session): Promise<void> {
  const { config, configPath, terminal } = session
  const { context: name } = session.target()
  const saved = name === undefined ? undefined : config.contexts[name]
  if (name === undefined || saved?.token === undefined) throw new CliError('notFound', 'no saved login to forget')
  const { token: _, ...rest } = saved
  await writeConfig(configPath, { ...config, contexts: { ...config.contexts, [name]: rest } })
  await answer(session, { ok: true, context: name }, () =>
    terminal.line(`Signed out of ${saved.url} (context ${name})`),
  )
}
