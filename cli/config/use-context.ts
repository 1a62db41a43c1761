/** `svc config use-context`: makes a saved context the current one. */
import { Command } from 'commander'
import { writeConfig } from '../session/config-file.ts'
import { CliError } from '../session/exit-codes.ts'
import { answer, openSession, type Cli, type Session } from '../session/session.ts'

export function useContext(cli: Cli): Command {
  return new Command('use-context')
    .description('make a saved context the current one')
    .argument('<name>', 'name of the context')
    .action(async (name: string, _: object, command: Command) => await run(await openSession(cli, command), name))
}

async function run(session: Session, name: string): Promise<void> {
  const { config, configPath, terminal } = session
  const context = config.contexts[name]
  if (context === undefined) throw new CliError('notFound', `no saved context is called ${name}`)
  await writeConfig(configPath, { ...config, currentContext: name })
  await answer(session, { ok: true, context: name }, () => terminal.line(`Using ${name} (${context.url})`))
}
