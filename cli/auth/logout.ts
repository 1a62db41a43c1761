/** `svc logout`: forgets the saved token of a context. */
import { Command } from 'commander'
import { writeConfig } from '../session/config-file.ts'
import { CliError } from '../session/exit-codes.ts'
import { answer, openSession, type Cli, type Session } from '../session/session.ts'

export function logout(cli: Cli): Command {
  return new Command('logout')
    .description('forget the saved login; the token itself stays valid until it expires or is revoked')
    .action(async (_: object, command: Command) => await run(await openSession(cli, command)))
}

async function run(session: Session): Promise<void> {
  const { config, configPath, terminal } = session
  const { context: name } = session.settings()
  const saved = name === undefined ? undefined : config.contexts[name]
  if (name === undefined || saved?.token === undefined) throw new CliError('notFound', 'no saved login to forget')
  const { token: _, ...rest } = saved
  await writeConfig(configPath, { ...config, contexts: { ...config.contexts, [name]: rest } })
  await answer(session, { ok: true, context: name }, () => terminal.line(`Signed out of ${saved.url} (context ${name})`))
}
