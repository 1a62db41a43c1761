/** `svc functions invoke`: one request to a function; its answer, and whether it is an error. */
import { Command, Option } from 'commander'
import { callPath } from '../../contract/fields/patterns.ts'
import { functionMethods } from '../../contract/fields/words.ts'
import { CliError } from '../session/exit-codes.ts'
import { textOf } from '../session/flags.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'
import { defined } from '../../contract/defined.ts'

interface InvokeFlags {
  method: (typeof functionMethods)[number]
  path: string
  data?: string
}

export function invoke(cli: Cli): Command {
  return new Command('invoke')
    .description(
      'call a function and print its answer, through the service where it is not public; 400 or more is an error',
    )
    .argument('<app>', 'name of the function')
    .addOption(new Option('--method <method>', 'method of the request').choices(functionMethods).default('POST'))
    .option('--path <path>', 'path and query', '/')
    .option('--data <text>', 'body of the request (@FILE, or - for stdin)')
    .action(
      async (app: string, flags: InvokeFlags, command: Command) =>
        await run(await openSession(cli, command), app, flags),
    )
}

async function run(session: Session, app: string, { method, path, data }: InvokeFlags): Promise<void> {
  if (!callPath.test(path)) throw new CliError('usage', '--path must start with / and be percent-encoded')
  const { terminal, signal } = session
  const { invokeFunction } = await import('../../mcp/functions/invoke.ts')
  const client = await clientOf(session)
  const body = await textOf(terminal, data)
  const view = await invokeFunction(client, app, { method, path, ...defined({ body }) }, signal)
  await answer(session, view, () => {
    // What is no terminal, a file or a pipe, gets the answer as it is.
    const shown = terminal.live ? plainText(view.body) : view.body
    terminal.raw(shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`)
    if (view.truncated) terminal.note('the answer was longer than what is read')
  })
  if (view.status >= 400) throw new CliError('error', `${app} answered ${view.status}`)
}
