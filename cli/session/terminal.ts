/** The terminal for commands: two streams, whether a person watches, and prompts. */
import type { Readable, Writable } from 'node:stream'
import picocolors from 'picocolors'
import { CliError } from './exit-codes.ts'

export interface Terminal {
  readonly input: Readable
  readonly output: Writable
  /** Standard error. */
  readonly errors: Writable
  /** Whether a person sees the output: live lines and colours appear only then. */
  readonly live: boolean
  readonly columns: () => number
  readonly rows: () => number
  readonly colors: Colors
  /** One line of the command's result, to standard output, as `plainLine` has it. */
  line(text?: string): void
  /** One additional line, to standard error, as `plainLine` has it. */
  note(text: string): void
  /** The same with colours, or of several lines: the caller has made what comes from elsewhere plain. */
  styledLine(text: string): void
  styledNote(text: string): void
  /** The whole result as JSON. */
  json(value: unknown): void
  /** Writes the text unchanged, without a line end. */
  raw(text: string): void
  /** Whether a person can be asked. */
  readonly asks: boolean
  /** Asks the user. @throws CliError `usage` without a terminal, `error` when the user cancels. */
  ask(question: string): Promise<string>
  /** The same for secrets, without echo. */
  askSecret(question: string): Promise<string>
  /** All of standard input. */
  readInput(): Promise<string>
  /** Every key goes to the command unread, Ctrl-C too, until the returned function is called. */
  takeKeys(): () => void
}

type Colors = ReturnType<typeof picocolors.createColors>

interface Streams {
  stdin: Readable & { isTTY?: boolean; setRawMode?: (on: boolean) => unknown }
  stdout: Writable & { isTTY?: boolean; columns?: number; rows?: number }
  stderr: Writable
}

/** Opens a stream when it is used first: opening standard input takes longer than a short command does without it. */
export function createTerminal(streams: Streams, env: Readonly<Record<string, string | undefined>>): Terminal {
  const { stdout } = streams
  const live = stdout.isTTY === true && env['TERM'] !== 'dumb'
  return {
    get input() {
      return streams.stdin
    },
    output: stdout,
    get errors() {
      return streams.stderr
    },
    live,
    // A pseudo-terminal without a size has 0 of both.
    columns: () => stdout.columns || 80,
    rows: () => stdout.rows || 24,
    colors: picocolors.createColors(live && !env['NO_COLOR']),
    line: (text = '') => void stdout.write(`${plainLine(text)}\n`),
    note: (text) => void streams.stderr.write(`${plainLine(text)}\n`),
    styledLine: (text) => void stdout.write(`${text}\n`),
    styledNote: (text) => void streams.stderr.write(`${text}\n`),
    json: (value) => void stdout.write(`${jsonText(value, 2)}\n`),
    raw: (text) => void stdout.write(text),
    get asks() {
      return streams.stdin.isTTY === true
    },
    ask: async (question) => {
      if (streams.stdin.isTTY !== true) throw new CliError('usage', 'there is no terminal to ask for it; add --yes')
      return await ask(streams.stdin, streams.stderr, question)
    },
    askSecret: async (question) => {
      if (streams.stdin.isTTY !== true)
        throw new CliError(
          'usage',
          'a password is needed, and there is no terminal to ask for it; add --password-stdin',
        )
      streams.stderr.write(question)
      const { Writable } = await import('node:stream')
      const echoNothing = new Writable({ write: (_chunk, _encoding, done) => done() })
      try {
        return await ask(streams.stdin, echoNothing, '')
      } finally {
        streams.stderr.write('\n')
      }
    },
    readInput: async () => {
      const chunks: Buffer[] = []
      // Standard input has no object mode.
      for await (const chunk of streams.stdin) chunks.push(Buffer.from(chunk as Buffer | string))
      return Buffer.concat(chunks).toString('utf8')
    },
    takeKeys: () => {
      streams.stdin.setRawMode?.(true)
      return () => void streams.stdin.setRawMode?.(false)
    },
  }
}

/** Ctrl-C and Ctrl-D at the prompt both cancel. */
async function ask(input: Readable, output: Writable, question: string): Promise<string> {
  const { createInterface } = await import('node:readline')
  const reader = createInterface({ input, output, terminal: true })
  try {
    return await new Promise((resolve, reject) => {
      const leave = (): void => {
        output.write('\n')
        reject(new CliError('error', 'cancelled'))
      }
      reader.once('close', leave)
      reader.once('SIGINT', () => reader.close())
      reader.question(question, (text) => {
        reader.off('close', leave)
        resolve(text)
      })
    })
  } finally {
    reader.close()
  }
}

/** Removes from a server's text all characters that would move the cursor, change the terminal, or reorder letters. */
export function plainText(text: string): string {
  return text.replace(terminalSequence, '').replace(controlCharacter, '')
}

/** The same as one line. */
export const plainLine = (text: string): string => plainText(text).replaceAll('\n', ' ')

/** The text with each control character as `\\u001b`; line ends and tabs stay. JSON keeps its meaning. */
export const visibleText = (text: string): string =>
  text.replace(controlCharacter, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The same as one line: names that differ in a control character alone look different. */
export const visibleLine = (text: string): string => visibleText(text.replaceAll('\n', ' '))

/** As JSON, which alone leaves the control characters after 0x7e and those that reorder letters unescaped. */
export const jsonText = (value: unknown, indent = 0): string => visibleText(JSON.stringify(value, undefined, indent))

// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const terminalSequence = /\x1b\[[0-9;?]*[ -/]*[@-~]/g
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const controlCharacter = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
