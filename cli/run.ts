/** One run of the program: from its arguments to an exit code, with one sentence for every error. */
import { CommanderError } from 'commander'
import { ApiError } from '../client/api-error.ts'
import { complete } from './completion/complete.ts'
import { createProgram } from './program.ts'
import { exitCodeOf, exitCodes } from './session/exit-codes.ts'
import type { Cli } from './session/session.ts'
import { plainText } from './session/terminal.ts'

/** @param argv without the interpreter and the script. */
export async function runCli(argv: readonly string[], cli: Cli): Promise<number> {
  const program = createProgram(cli)
  try {
    if (argv.length === 0) program.outputHelp()
    else if (argv[0] === '__complete') await complete(cli, program, argv.slice(2))
    else await program.parseAsync([...argv], { from: 'user' })
    return exitCodes.success
  } catch (error) {
    const sentence = sentenceOf(error, cli)
    if (sentence !== '') cli.terminal.note(`error: ${sentence}`)
    if (cli.env['SVC_DEBUG'] === '1' && error instanceof Error) cli.terminal.note(error.stack ?? '')
    return exitCodeOf(error)
  }
}

function sentenceOf(error: unknown, { signal }: Cli): string {
  if (error instanceof CommanderError) return parserSentence(error)
  if (signal.aborted && error instanceof Error && error.name === 'AbortError') return 'interrupted'
  const message = plainText(error instanceof Error ? error.message : String(error)).replaceAll('\n', ' ')
  return error instanceof ApiError && error.code === 'unauthenticated'
    ? `${message}; sign in with \`svc login\``
    : message
}

/** The parser's message without its prefix; '' where the parser has printed help. */
function parserSentence({ code, message }: CommanderError): string {
  if (['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(code)) return ''
  return message.replace(/^error: /, '').replaceAll('\n', ' ')
}
