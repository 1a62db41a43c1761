/** The help of every command as one text, checked in so that a change of the command line shows in review. */
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { createProgram } from './program.ts'
import { createTerminal } from './session/terminal.ts'

export const helpPagesPath = 'cli/help.txt'

/** Commands in the order of the help; the global flags come once, at the top. */
export async function makeHelpPages(): Promise<string> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  const program = await createProgram({
    env: {},
    terminal: createTerminal(streams, {}),
    signal: new AbortController().signal,
    now: () => 0,
    sleep: async () => undefined,
  })
  return pagesOf(program).join(`\n${'-'.repeat(80)}\n`)
}

function pagesOf(command: Command): string[] {
  let text = ''
  command
    .configureHelp({ ...command.configureHelp(), showGlobalOptions: false })
    .configureOutput({ ...command.configureOutput(), writeOut: (more) => (text += more) })
    .outputHelp() // not helpInformation: that leaves out the examples
  return [text, ...command.commands.flatMap(pagesOf)]
}
