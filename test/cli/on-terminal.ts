/** Runs the command line as a process on a real pseudo-terminal, made by script(1), and types on it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { eventually } from '../cluster/eventually.ts'

const main = join(import.meta.dirname, '../../cli/main.ts')

export interface TerminalRun {
  /** Everything on the screen so far, escape sequences included. */
  screen(): string
  /** Resolves when the screen has the text. */
  shows(text: string): Promise<void>
  /** What a person types: `\x03` is Ctrl-C. */
  type(keys: string): void
  /** The exit code of the command. */
  ended(): Promise<number>
}

/** @param env beside PATH; the terminal is 100 columns wide and 20 lines high. */
export function onTerminal(args: readonly string[], env: Record<string, string>): TerminalRun {
  const words = [process.execPath, main, ...args].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`)
  const child = spawn('script', ['-qefc', `stty cols 100 rows 20; exec ${words.join(' ')}`, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm', ...env },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const end = once(child, 'close')
  return {
    screen: () => text,
    shows: async (wanted) => await eventually(`the terminal shows ${wanted}`, () => text.includes(wanted)),
    type: (keys) => void child.stdin.write(keys),
    ended: async () => {
      await end
      return child.exitCode ?? -1
    },
  }
}
