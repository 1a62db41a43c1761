/** Manual pages, made from the command tree: one of the program, and one of each command with all below it. */
import { Argument, Command } from 'commander'
import { cliVersion } from '../session/at-start.ts'
import type { Cli } from '../session/session.ts'
import { CliError } from '../session/exit-codes.ts'

/** `svc man [command]`: prints a page, for `man -l -` or a file. */
export function man(cli: Cli): Command {
  return new Command('man')
    .description('print a manual page')
    .addArgument(new Argument('[command]', 'command whose page it is; the program if left out'))
    .addHelpText('after', '\nExamples:\n  svc man apps | man -l -\n  svc man > svc.1')
    .action((name: string | undefined, _: object, called: Command) => {
      const program = called.parent ?? called
      const page = manPages(program).get(name === undefined ? 'svc' : `svc-${name}`)
      if (page === undefined) throw new CliError('usage', `unknown command '${name}'`)
      cli.terminal.raw(page)
    })
}

/** The pages in roff by their names, such as `svc` and `svc-apps`. */
export function manPages(program: Command): ReadonlyMap<string, string> {
  const commands = program.createHelp().visibleCommands(program)
  const pages = commands.map((command): [string, string] => [`svc-${command.name()}`, pageOf(command)])
  return new Map([['svc', pageOf(program, commands)], ...pages])
}

function pageOf(command: Command, listed?: readonly Command[]): string {
  const name = command.parent === null ? 'svc' : `svc-${command.name()}`
  const inner = listed === undefined ? below(command).flatMap(sectionOf) : listed.flatMap(itemOf)
  const lines = [
    `.TH ${name.toUpperCase().replaceAll('-', String.raw`\-`)} 1 "" "svc ${cliVersion}"`,
    '.SH NAME',
    `${escaped(name)} ${String.raw`\-`} ${escaped(command.description())}`,
    '.SH SYNOPSIS',
    `.B ${escaped(usageOf(command))}`,
    ...optionsOf(command, '.SH OPTIONS'),
    ...(inner.length === 0 ? [] : ['.SH COMMANDS', ...inner]),
    '.SH SEE ALSO',
    listed === undefined ? '.BR svc (1)' : escaped('svc help COMMAND shows the same at the terminal.'),
  ]
  return `${lines.join('\n')}\n`
}

const below = (command: Command): readonly Command[] => {
  const own = command.createHelp().visibleCommands(command)
  return own.filter((it) => it.name() !== 'help').flatMap((it) => [it, ...below(it)])
}

const itemOf = (command: Command): string[] => [
  '.TP',
  `.BR svc${String.raw`\-`}${escaped(command.name())} (1)`,
  escaped(command.description()),
]

const sectionOf = (command: Command): string[] => [
  `.SS "${escaped(usageOf(command))}"`,
  escaped(command.description()),
  ...optionsOf(command),
]

function optionsOf(command: Command, heading?: string): string[] {
  const help = command.createHelp()
  const terms = [
    ...help.visibleArguments(command).map((it) => [help.argumentTerm(it), help.argumentDescription(it)] as const),
    ...help.visibleOptions(command).map((it) => [help.optionTerm(it), help.optionDescription(it)] as const),
  ]
  const lines = terms.flatMap(([term, words]) => ['.TP', `.B ${escaped(term)}`, escaped(words)])
  return lines.length === 0 || heading === undefined ? lines : [heading, ...lines]
}

const usageOf = (command: Command): string => command.createHelp().commandUsage(command)

/** Text that roff prints as it is: no escape, no request at the beginning of a line, dashes that can be copied. */
function escaped(text: string): string {
  const plain = text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll('"', String.raw`\(dq`)
    .replaceAll(/\s+/g, ' ')
  return /^[.']/.test(plain) ? String.raw`\&` + plain : plain
}
