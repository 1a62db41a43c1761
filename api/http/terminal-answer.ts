/** Joins the WebSocket of a caller with the terminal of a copy. */
import type { WebSocket } from 'ws'
import {
  eventPingSeconds,
  terminalBufferBytes,
  terminalIdleSeconds,
  unansweredPingsMax,
} from '../../contract/limits.ts'
import {
  terminalChannels,
  terminalCloses,
  terminalEndOf,
  type FrameStream,
} from '../../contract/views/terminal-frames.ts'
import { framesOf } from '../../cluster/http/socket.ts'

export interface TerminalTerms {
  /** Fires when the server stops. */
  readonly stopping: AbortSignal
  /** Whether the caller may still have the terminal; called with each ping and whenever credentials change. */
  readonly allowed: () => Promise<boolean>
  /** Reports changed credentials until the returned function is called. */
  readonly onCredentials: (listener: () => void) => () => void
  /** Called once, with the reason of the end in a few words, never with input or output. */
  readonly onEnd: (ended: string) => void
  readonly onTrouble: (error: unknown) => void
}

export interface TerminalTimes {
  readonly pingMs: number
  readonly idleMs: number
}

const defaultTimes: TerminalTimes = { pingMs: eventPingSeconds * 1000, idleMs: terminalIdleSeconds * 1000 }

/** The process exits soon after a stop: it waits so long for a caller to close the connection. */
const stopMs = 2000

const fromCaller: ReadonlySet<number | undefined> = new Set([
  terminalChannels.stdin,
  terminalChannels.resize,
  terminalChannels.close,
])

/**
 * Runs in the background until either end closes the terminal, it is idle for too long, or the caller loses its rights.
 */
export function answerTerminal(
  socket: WebSocket,
  copy: FrameStream,
  terms: TerminalTerms,
  { pingMs, idleMs }: TerminalTimes = defaultTimes,
): void {
  const caller = framesOf(socket)
  let ended: string | undefined
  let movedAt = performance.now()
  let unanswered = 0
  let closing = false
  const end = (why: keyof typeof terminalCloses): void => {
    const [code, reason] = terminalCloses[why]
    closing = true
    ended ??= reason
    caller.close(code, reason)
    copy.close(...terminalCloses.ended)
  }
  const ask = (): void => {
    terms.allowed().then(
      (allowed) => allowed || end('notAllowed'),
      (error: unknown) => terms.onTrouble(error), // asked again with the next ping
    )
  }
  const timer = setInterval(() => {
    if (performance.now() - movedAt >= idleMs) return end('idle')
    // Nothing is read from a paused socket, pongs included.
    if (!socket.isPaused && ++unanswered > unansweredPingsMax) return socket.terminate()
    socket.ping()
    ask()
  }, pingMs)
  const stop = (): void => {
    end('stopping')
    setTimeout(() => socket.terminate(), stopMs).unref()
  }
  const unlisten = terms.onCredentials(ask)
  terms.stopping.addEventListener('abort', stop, { once: true })

  socket.on('error', () => undefined) // `close` follows
  socket.on('pong', () => (unanswered = 0))
  caller.onMessage((message, isFrame) => {
    if (closing) return
    movedAt = performance.now()
    unanswered = 0
    if (!isFrame || !fromCaller.has(message[0])) return end('notAFrame')
    passOn(message, caller, copy)
  })
  copy.onMessage((frame) => {
    if (closing) return
    movedAt = performance.now()
    const status = terminalEndOf(frame)
    if (status !== undefined) ended ??= 'exitCode' in status ? `exit code ${status.exitCode}` : 'the command failed'
    passOn(frame, copy, caller)
  })
  copy.onClose(() => (ended === undefined ? end('lost') : end('ended')))
  caller.onClose(() => {
    clearInterval(timer)
    unlisten()
    terms.stopping.removeEventListener('abort', stop)
    copy.close(...terminalCloses.ended)
    terms.onEnd(ended ?? 'the caller went away')
  })
  copy.resume()
  if (terms.stopping.aborted) stop()
}

/** Passes a frame on. The sender is paused while too many bytes wait for the receiver. */
function passOn(frame: Uint8Array, from: FrameStream, to: FrameStream): void {
  to.send(frame, () => {
    if (to.bufferedBytes <= terminalBufferBytes) from.resume()
  })
  if (to.bufferedBytes > terminalBufferBytes) from.pause()
}
