/** The answer to bytes that are no HTTP request (docs/reference/conventions.md#a-request-that-is-no-http). */
import type { Duplex } from 'node:stream'
import type { ProblemCode } from '../../contract/problem.ts'

const code: ProblemCode = 'invalid_request'
const sentences: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'the head of the request is too long',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'the request body could not be read',
  ERR_HTTP_REQUEST_TIMEOUT: 'the request did not arrive in time',
}

/**
 * Listener for `clientError` of a server. The path may not be known, so the answer always has the shape of `/api/v1`.
 */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const body = JSON.stringify({ error: sentences[error.code ?? ''] ?? 'the request is not valid HTTP', code })
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
