/**
 * The HTTP request to a function in the cluster, on a connection of its own; a redirect is an answer like any other.
 */
import { type IncomingMessage, request } from 'node:http'

export interface FunctionTarget {
  /** Where the connection goes. */
  host: string
  port: number
  /** The `Host` of the request. */
  authority: string
}

export interface FunctionRequest {
  method: string
  /** Path and query, beginning with a slash. */
  path: string
  headers: Readonly<Record<string, string>>
  /** '' for no body. */
  body: string
}

/** Resolves with the head of the answer. `onConnect` is called as soon as the function may receive something. */
export async function sendTo(
  { host, port, authority }: FunctionTarget,
  { method, path, headers, body }: FunctionRequest,
  { signal, onConnect }: { signal: AbortSignal; onConnect?: () => void },
): Promise<IncomingMessage> {
  return await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({
      host,
      port,
      path,
      method,
      headers: { ...headers, host: authority, 'content-length': String(Buffer.byteLength(body)) },
      agent: false,
      signal,
    })
    sent.on('socket', (socket) => socket.once('connect', () => onConnect?.()))
    sent.on('response', resolve)
    sent.on('error', reject)
    sent.end(body)
  })
}
