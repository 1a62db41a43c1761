/** WebSockets to the API server, with the credentials of other requests and one connection each. */
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import type { FrameStream } from '../../contract/views/terminal-frames.ts'
import { type Query, withQuery } from '../objects/paths.ts'
import type { Access } from './credentials.ts'
import { errorFromAnswer } from './status-error.ts'

interface Upgrade {
  resource: string
  method: string
  path: string
  query?: Query | undefined
}

/** The API server's messages have 32 KiB or less. */
const messageBytes = 1024 * 1024
/** The most that is read of a refusal; a Status is far smaller. */
const refusalBytes = 64 * 1024

/** Resolves with an open, paused WebSocket. Rejects with ClusterError for a refusal, or with the network error. */
export function openSocket(access: Access, call: Upgrade, protocol: string, signal: AbortSignal): Promise<WebSocket> {
  const { origin, prefix, headers, tls, proxyAgent } = access
  const address = origin.replace(/^http/, 'ws') + prefix + withQuery(call.path, call.query)
  const socket = new WebSocket(address, [protocol], {
    ...tls,
    agent: proxyAgent,
    headers: { 'user-agent': 'svc', ...headers },
    maxPayload: messageBytes,
    perMessageDeflate: false,
  })
  const abort = (): void => socket.terminate()
  return new Promise<WebSocket>((resolve, reject) => {
    // This listener stays as long as the socket: `close` follows a break, and an error without a listener would end the
    // process.
    socket.on('error', reject)
    socket.once('open', () => {
      // Messages before the first listener stay in the connection.
      socket.pause()
      resolve(socket)
    })
    socket.once('unexpected-response', (_request, answer) => {
      refusalIn(call, answer).then(reject, reject)
    })
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
  }).finally(() => signal.removeEventListener('abort', abort))
}

async function refusalIn(call: Upgrade, answer: IncomingMessage): Promise<Error> {
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > refusalBytes) break
  }
  return errorFromAnswer(call, answer.statusCode ?? 0, text, answer.headers['retry-after'])
}

/** An open WebSocket as a FrameStream, which can be joined with another one. */
export function framesOf(socket: WebSocket): FrameStream {
  return {
    onMessage: (take) => socket.on('message', (data, isFrame) => take(data as Buffer, isFrame)), // binaryType nodebuffer
    onClose: (listener) => socket.once('close', listener),
    send: (frame, sent) => socket.send(frame, { binary: true }, sent),
    get bufferedBytes() {
      return socket.bufferedAmount
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close(code, reason) {
      // A paused connection would not read the closing frame of the other side.
      socket.resume()
      socket.close(code, reason)
    },
  }
}
