/**
 * The frames of a terminal (docs/reference/terminals.md#frames): those of Kubernetes' own exec, in binary messages
 * whose first byte names a channel.
 */

/** The subprotocol of the WebSocket, towards the caller and towards the cluster. */
export const terminalProtocol = 'v5.channel.k8s.io'

/** `stdin`, `resize` and `close` come from the caller, the others from the copy. */
export const terminalChannels = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4, close: 255 } as const

/** Why the platform closes a WebSocket of a terminal (RFC 6455, 7.4; from 4000 on our own). */
export const terminalCloses = {
  ended: [1000, 'the command ended'],
  stopping: [1001, 'the server stops, open the terminal again'],
  notAFrame: [1003, 'that is no frame of v5.channel.k8s.io'],
  notAllowed: [1008, 'the sign-in or the token no longer allows this'],
  lost: [1011, 'the connection to the copy was lost'],
  idle: [4000, 'nothing was typed or shown for too long'],
} as const

/** One end of a terminal, with what is needed to join two of them. */
export interface FrameStream {
  /** Calls `take` with every message; those that are no binary ones have `isFrame` false. Once, then `resume`. */
  onMessage(take: (message: Uint8Array, isFrame: boolean) => void): void
  onClose(listener: () => void): void
  /** @param sent called when the frame has left this process, or never will */
  send(frame: Uint8Array, sent: () => void): void
  /** Bytes that were sent and have not left. */
  readonly bufferedBytes: number
  /** Takes nothing more off the connection until `resume`, so that the other side has to wait. */
  pause(): void
  resume(): void
  /** What was sent before goes first; the connection ends within seconds whatever the other side does. */
  close(code: number, reason: string): void
}

/** A frame of bytes on one channel. */
export function frameOf(channel: number, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(data.length + 1)
  frame[0] = channel
  frame.set(data, 1)
  return frame
}

/** Says how large the terminal is, in characters. */
export const resizeFrame = (columns: number, rows: number): Uint8Array<ArrayBuffer> =>
  frameOf(terminalChannels.resize, new TextEncoder().encode(JSON.stringify({ Width: columns, Height: rows })))

/** Says that nothing more is typed. */
export const endOfInput: Uint8Array<ArrayBuffer> = Uint8Array.of(terminalChannels.close, terminalChannels.stdin)

/** How a command ended: with a code of its own, or for the reason that the cluster gives. */
export type TerminalEnd = { readonly exitCode: number } | { readonly failure: string }

/** What is read of a Kubernetes Status. */
interface Status {
  readonly status?: string
  readonly message?: string
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] }
}

/** Reads the one frame of the channel `status`, a Status as JSON; undefined for another frame. */
export function terminalEndOf(frame: Uint8Array): TerminalEnd | undefined {
  if (frame[0] !== terminalChannels.status || frame.length === 1) return undefined
  const status = statusIn(frame.subarray(1))
  if (status?.status === 'Success') return { exitCode: 0 }
  const code = Number(status?.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message ?? Number.NaN)
  return Number.isInteger(code) ? { exitCode: code } : { failure: status?.message ?? 'the command could not be run' }
}

function statusIn(bytes: Uint8Array): Status | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as Status // written by the cluster alone
  } catch {
    return undefined
  }
}
