/** One run of the program: from its arguments to an exit code, with one sentence for every error. */
import { CommanderError, type Command } from 'commander'
import { ApiError } from '../client/api-error.ts'
import { createProgram } from './program.ts'
import { CommandEnd, exitCodeOf, exitCodes } from './session/exit-codes.ts'
import { showLong } from './session/pager.ts'
import type { Cli } from './session/session.ts'
import { plainLine, plainText } from './session/terminal.ts'

/** @param argv without the interpreter and the script. */
export async function runCli(argv: readonly string[], cli: Cli): Promise<number> {
  const help: string[] = []
  const program = await createProgram(cli, (text) => help.push(text), argv[0])
  const called: { command?: Command } = {}
  program.hook('preAction', (_, command) => void (called.command = command))
  try {
    if (argv.length === 0) program.outputHelp()
    else if (argv[0] === '__complete') await answerShell(cli, program, argv.slice(2))
    else await program.parseAsync(joined(argv), { from: 'user' })
    return exitCodes.success
  } catch (error) {
    const sentence = error instanceof CommanderError ? parserSentence(error, program, argv) : sentenceOf(error, cli)
    if (sentence !== '') cli.terminal.note(`error: ${sentence}`)
    if (called.command !== undefined) await guessName(cli, program, called.command, error)
    if (cli.env['SVC_DEBUG'] === '1' && error instanceof Error) cli.terminal.styledNote(plainText(error.stack ?? ''))
    return exitCodeOf(error)
  } finally {
    if (help.length > 0) await showLong(cli, help.join(''))
  }
}

async function answerShell(cli: Cli, program: Command, words: readonly string[]): Promise<void> {
  const { complete } = await import('./completion/complete.ts')
  await complete(cli, program, words)
}

/** Says which name was meant; a script has no use for the guess, and would wait for it. */
async function guessName(cli: Cli, program: Command, command: Command, error: unknown): Promise<void> {
  if (!cli.terminal.live || exitCodeOf(error) !== exitCodes.notFound) return
  const { suggestName } = await import('./completion/suggest.ts')
  const guess = await suggestName(cli, program, command)
  if (guess !== '') cli.terminal.note(guess)
}

/** `--sort -pending`: the parser would read `-pending` as `-p ending`. */
const joined = (argv: readonly string[]): string[] =>
  argv.flatMap((word, at) => {
    if (word === '--sort' && argv[at + 1]?.startsWith('-') === true) return []
    return argv[at - 1] === '--sort' && word.startsWith('-') ? [`--sort=${word}`] : [word]
  })

function sentenceOf(error: unknown, { signal }: Cli): string {
  if (error instanceof CommandEnd) return ''
  if (signal.aborted && error instanceof Error && error.name === 'AbortError') return 'interrupted'
  const message = plainLine(error instanceof Error ? error.message : String(error))
  const next = error instanceof ApiError ? (nextSteps[error.code] ?? '') : ''
  return `${message}${next}`
}

/** What to do about a refusal, by its code. */
const nextSteps: Readonly<Record<string, string>> = {
  unauthenticated: '; sign in with `svc login`',
  forbidden: '; `svc whoami` shows what this login may do',
}

/** The parser's message without its prefix, and where to look; '' where the parser has printed help. */
function parserSentence({ code, message }: CommanderError, program: Command, argv: readonly string[]): string {
  if (['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(code)) return ''
  const sentence = message.replace(/^error: |\.$/g, '').replaceAll('\n', ' ')
  // What was meant, or what it must be, is said already.
  const saysMore = code === 'commander.invalidArgument' || sentence.includes('Did you mean')
  return saysMore ? sentence : `${sentence}; see \`${pathOf(program, argv)} --help\``
}

/** `svc apps create`: as far as the words name commands. */
function pathOf(program: Command, argv: readonly string[]): string {
  let command = program
  const path = [program.name()]
  for (const word of argv) {
    const child = command.commands.find((it) => it.name() === word || it.aliases().includes(word))
    if (child === undefined) continue
    command = child
    path.push(child.name())
  }
  return path.join(' ')
}
