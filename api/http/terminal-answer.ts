/** Joins the WebSocket of a caller with the end of a terminal that the copy has. */
import type { WebSocket } from 'ws'
import { eventPingSeconds, terminalBufferBytes, terminalIdleSeconds } from '../../contract/limits.ts'
import {
  terminalChannels,
  terminalCloses,
  terminalEndOf,
  type FrameStream,
} from '../../contract/views/terminal-frames.ts'
import { framesOf } from '../../cluster/http/socket.ts'

export interface TerminalTerms {
  /** The server stops. */
  readonly stopping: AbortSignal
  /** Whether the caller may still have it; asked with each ping and whenever credentials changed. */
  readonly allowed: () => Promise<boolean>
  /** Reports changed credentials until the returned function is called. */
  readonly onCredentials: (listener: () => void) => () => void
  /** Called once, with how it ended in a few words: never with what was typed or shown. */
  readonly onEnd: (ended: string) => void
  readonly onTrouble: (error: unknown) => void
}

export interface TerminalTimes {
  readonly pingMs: number
  readonly idleMs: number
}

const defaultTimes: TerminalTimes = { pingMs: eventPingSeconds * 1000, idleMs: terminalIdleSeconds * 1000 }

/** The process ends soon after: a caller who does not answer is not waited for. */
const stopMs = 2000

/** A caller who answered none of so many pings is gone: the other end of a broken connection says nothing. */
const unansweredPingsMax = 4

const fromCaller: ReadonlySet<number | undefined> = new Set([
  terminalChannels.stdin,
  terminalChannels.resize,
  terminalChannels.close,
])

/**
 * Goes on in the background until either end closes it, it is idle for too long, or the caller may no longer have it.
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
    // Of a caller who is made to wait nothing is read, no answer either.
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

/** While too much waits for the side that reads, nothing is taken from the other. */
function passOn(frame: Uint8Array, from: FrameStream, to: FrameStream): void {
  to.send(frame, () => {
    if (to.bufferedBytes <= terminalBufferBytes) from.resume()
  })
  if (to.bufferedBytes > terminalBufferBytes) from.pause()
}
