/**
 * `svc version`, `svc openapi` and `svc help`: the versions of this program and the service, and their documentation.
 */
import { Command } from 'commander'
import type { View } from '../../contract/operations.ts'
import { cliVersion } from '../session/at-start.ts'
import { CliError } from '../session/exit-codes.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'
import { notSignedIn } from './answer-at-once.ts'
import { defined } from '../../contract/defined.ts'

/** This program's version, and the API line of the service when signed in to one. */
export function version(cli: Cli): Command {
  return new Command('version')
    .description("show this program's version and the API line of the service")
    .action(async (_: object, command: Command) => await runVersion(await openSession(cli, command)))
}

async function runVersion(session: Session): Promise<void> {
  const { terminal } = session
  const json = session.flags.json === true
  if (!json) terminal.line(`svc ${cliVersion}`)
  const server = await askServer(session)
  const advice = server === undefined ? undefined : await adviceOn(server.api)
  const compatible = advice === undefined ? undefined : advice === ''
  await answer(session, { client: cliVersion, ...defined({ server, compatible }) }, () => {
    terminal.line(server === undefined ? notSignedIn : `api ${server.api} (${server.name})`)
  })
  if (advice !== undefined && advice !== '') terminal.note(advice)
}

/** What to update when this program and the service speak different lines of the API; '' when they speak the same. */
async function adviceOn(line: string): Promise<string> {
  const { apiLine } = await import('../../contract/platform/views.ts')
  if (line === apiLine) return ''
  const difference = Number(line.replace(/^v/, '')) - Number(apiLine.replace(/^v/, ''))
  const facts = `this svc speaks api ${apiLine}, the service ${plainText(line)}`
  if (difference > 0) return `${facts}: install a newer svc`
  if (difference < 0) return `${facts}: update the service, or install the svc of its release`
  return facts
}

/** Without a login the api cannot be called, which is no error here. */
async function askServer(session: Session): Promise<View<'platform.version'> | undefined> {
  const { url, token } = session.target()
  if (url === undefined || token === undefined) return undefined
  return await (await clientOf(session)).call('platform.version', {}, { signal: session.signal })
}

export function openapi(cli: Cli): Command {
  return new Command('openapi')
    .description('print the OpenAPI document of the service')
    .action(async (_: object, command: Command) => {
      const session = await openSession(cli, command)
      session.terminal.json(await (await clientOf(session)).call('platform.openapi', {}, { signal: session.signal }))
    })
}

/** `svc help apps scale` as well as `svc apps scale --help`. */
export function help(program: Command): Command {
  return new Command('help')
    .description('show help for a command')
    .argument('[command...]', 'command to show help for')
    .action((words: string[]) => findCommand(program, words).outputHelp())
}

function findCommand(program: Command, words: readonly string[]): Command {
  return words.reduce((command, word) => {
    const found = command.commands.find((it) => it.name() === word || it.aliases().includes(word))
    if (found === undefined) throw new CliError('usage', `unknown command '${word}'`)
    return found
  }, program)
}
