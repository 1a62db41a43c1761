/** `svc help`: the help of any command, `svc help apps scale` as well as `svc apps scale --help`. */
import { Command } from 'commander'
import { CliError } from '../session/exit-codes.ts'

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
