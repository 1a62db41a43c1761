/** WebSockets to the API server, with the credentials of every other request and a connection each. */
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

/** The cluster's messages are of 32 KiB and less. */
const messageBytes = 1024 * 1024
/** Of a refusal; a Status is far smaller. */
const refusalBytes = 64 * 1024

/** Resolves when it stands, paused. Rejects with ClusterError for a refusal, or with the error of the network. */
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
    // Stays for as long as the socket does: `close` follows a break, and an error without a listener would end the
    // process.
    socket.on('error', reject)
    socket.once('open', () => {
      // What comes before the first listener stays on the connection.
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

/** An open WebSocket, with what is needed to join two of them. */
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
      // A paused connection would not see the other side's answer.
      socket.resume()
      socket.close(code, reason)
    },
  }
}
