/** `svc shell`: a terminal in a copy of a service, or one command there. */
import { Command } from 'commander'
import type { WebSocket } from 'ws'
import { defined } from '../../contract/defined.ts'
import {
  endOfInput,
  frameOf,
  resizeFrame,
  terminalChannels,
  terminalCloses,
  terminalEndOf,
  type TerminalEnd,
} from '../../contract/views/terminal-frames.ts'
import { CliError, CommandEnd } from '../session/exit-codes.ts'
import { addressOf, openSession, userAgent, type Cli, type Session } from '../session/session.ts'
import type { Terminal } from '../session/terminal.ts'

interface ShellFlags {
  copy?: string
  container?: string
}

export function shell(cli: Cli): Command {
  return new Command('shell')
    .description('open a terminal in a copy of a service')
    .argument('<app>', 'name of the service')
    .argument('[command...]', 'what to run in place of a shell, after --')
    .option('--copy <pod>', 'the copy, as `svc apps pods` names it; else the oldest that runs')
    .option('--container <name>', 'a container of the copy; else that of the service')
    .action(
      async (app: string, words: string[], flags: ShellFlags, command: Command) =>
        await run(await openSession(cli, command), app, words, flags),
    )
}

async function run(session: Session, app: string, words: string[], { copy, container }: ShellFlags): Promise<void> {
  const { terminal, signal } = session
  const baseUrl = addressOf(session)
  const { token } = session.target()
  if (token === undefined)
    throw new CliError('notAllowed', `not signed in to ${baseUrl}: sign in with \`svc login --url ${baseUrl}\``)
  const tty = terminal.asks && terminal.live
  const params = { app, tty, command: words, ...defined({ pod: copy, container }) }
  // On demand, so that other commands do not load it.
  const { openTerminal } = await import('../../client/terminal.ts')
  const socket = await openTerminal({ baseUrl, token, userAgent }, params, signal)
  const { code, reason, end } = await attach(socket, terminal, { tty, signal })
  if (end === undefined) {
    const outcome = code === terminalCloses.notAllowed[0] ? 'notAllowed' : 'error'
    throw new CliError(outcome, signal.aborted ? 'interrupted' : reason || 'the connection was cut')
  }
  if ('failure' in end) throw new CliError('error', end.failure)
  if (end.exitCode !== 0) throw new CommandEnd(end.exitCode)
}

interface Attached {
  readonly code: number
  readonly reason: string
  /** Undefined when the connection ended before the command did. */
  readonly end: TerminalEnd | undefined
}

/** Joins the terminal with this one until the connection ends; each side waits for the other. */
async function attach(
  socket: WebSocket,
  terminal: Terminal,
  { tty, signal }: { tty: boolean; signal: AbortSignal },
): Promise<Attached> {
  const { input, output } = terminal
  let end: TerminalEnd | undefined
  socket.on('message', (message: Buffer) => {
    end ??= terminalEndOf(message)
    show(socket, terminal, message)
  })
  const closed = new Promise<Attached>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString(), end }))
  })
  const resize = (): void => socket.send(resizeFrame(terminal.columns(), terminal.rows()))
  const type = (chunk: Buffer | string): void => {
    input.pause()
    socket.send(frameOf(terminalChannels.stdin, Buffer.from(chunk)), () => input.resume())
  }
  const endInput = (): void => socket.send(endOfInput)
  const leave = (): void => socket.close()
  const restore = tty ? terminal.takeKeys() : () => undefined
  if (tty) resize()
  if (tty) output.on('resize', resize)
  input.on('data', type).once('end', endInput)
  signal.addEventListener('abort', leave, { once: true })
  socket.resume()
  try {
    return await closed
  } finally {
    signal.removeEventListener('abort', leave)
    output.off('resize', resize)
    // An open standard input would keep the process.
    input.off('data', type).off('end', endInput).pause()
    restore()
  }
}

/** What comes is written as it is: this is a terminal. */
function show(socket: WebSocket, { output, errors }: Terminal, message: Buffer): void {
  const stream = { [terminalChannels.stdout]: output, [terminalChannels.stderr]: errors }[message[0] ?? -1]
  if (stream === undefined || message.length === 1 || stream.write(message.subarray(1))) return
  socket.pause()
  stream.once('drain', () => socket.resume())
}
