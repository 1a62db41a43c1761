/** `svc env import`: replaces all plain variables of a service. */
import { Command } from 'commander'
import { changeFlags, deployChange, deploysChange, type ChangeFlags } from '../wait/deploy-change.ts'
import { fileText, parseDurationMs } from '../session/flags.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'

interface ImportFlags extends ChangeFlags {
  file: string
}

export function importAll(cli: Cli): Command {
  const command = new Command('import')
    .description('replace all plain variables by lines of KEY=VALUE')
    .argument('<app>', 'name of the service')
    .requiredOption('--file <file>', 'lines of KEY=VALUE (@FILE, or - for stdin)')
  return changeFlags(command).action(async (app: string, flags: ImportFlags, called: Command) => {
    await run(await openSession(cli, called), app, flags)
  })
}

async function run(session: Session, app: string, flags: ImportFlags): Promise<void> {
  const { terminal, signal } = session
  await parseDurationMs('--timeout', flags.timeout)
  const config = await fileText(terminal, '--file', flags.file)
  const client = await clientOf(session)
  const view = await client.call('apps.config-raw', { app, config }, { signal })
  if (deploysChange(flags)) return await deployChange(session, client, app, flags, 'Imported')
  await answer(session, view, () =>
    terminal.line(`Imported; it takes effect with the next deploy: \`svc deploy ${app}\``),
  )
}
