/** A terminal as its caller has it: a real WebSocket, and what came over it. */
import { once } from 'node:events'
import { WebSocket, type ClientOptions } from 'ws'
import {
  frameOf,
  terminalChannels,
  terminalEndOf,
  terminalProtocol,
  type TerminalEnd,
} from '../../contract/views/terminal-frames.ts'

export interface OpenTerminal {
  readonly socket: WebSocket
  /** What came on the channels stdout and stderr so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** How the command ended, once the cluster said so. */
  readonly ended: () => TerminalEnd | undefined
  readonly type: (text: string) => void
  /** Resolves with code and reason. */
  readonly closed: Promise<readonly [number, string]>
}

/** A handshake that was refused. */
export interface RefusedTerminal {
  readonly status: number
  readonly text: string
}

export interface Opening extends ClientOptions {
  readonly token?: string
  readonly protocols?: readonly string[]
}

/** Resolves with a terminal that stands, or with the refusal. */
export async function openTerminal(url: string, opening: Opening = {}): Promise<OpenTerminal | RefusedTerminal> {
  const { token, protocols = [terminalProtocol], headers, ...options } = opening
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const socket = new WebSocket(url.replace(/^http/, 'ws'), [...protocols], {
    ...options,
    headers: { ...authorization, ...headers },
  })
  const parts: Record<number, string> = {}
  let ended: TerminalEnd | undefined
  socket.on('message', (data: Buffer) => {
    const channel = data[0] ?? -1
    parts[channel] = (parts[channel] ?? '') + data.subarray(1).toString()
    ended ??= terminalEndOf(data)
  })
  const closed = once(socket, 'close').then(([code, reason]) => [Number(code), String(reason)] as const)
  const refused = new Promise<RefusedTerminal>((resolve) => {
    socket.once('unexpected-response', (_request, answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
  })
  const opened = once(socket, 'open').then(() => ({
    socket,
    stdout: () => parts[terminalChannels.stdout] ?? '',
    stderr: () => parts[terminalChannels.stderr] ?? '',
    ended: () => ended,
    type: (text: string) => socket.send(frameOf(terminalChannels.stdin, Buffer.from(text))),
    closed,
  }))
  return await Promise.race([opened, refused])
}

/** The same, for a test that expects no refusal. */
export async function terminalAt(url: string, opening: Opening = {}): Promise<OpenTerminal> {
  const terminal = await openTerminal(url, opening)
  if ('status' in terminal) throw new Error(`the terminal was refused: ${terminal.status} ${terminal.text}`)
  return terminal
}

/** The status and the sentence of a handshake that must be refused. */
export async function refusalAt(url: string, opening: Opening = {}): Promise<[number, string]> {
  const terminal = await openTerminal(url, opening)
  if (!('status' in terminal)) throw new Error('the terminal was opened')
  const { status, text } = terminal
  // The body of a refusal has this shape, or is plain text.
  return [status, text.startsWith('{') ? (JSON.parse(text) as { error: string }).error : text]
}
