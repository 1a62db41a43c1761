/** Opens a terminal in a copy of a service (docs/reference/terminals.md), for programs that are no browsers. */
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import type { ParamsInput } from '../contract/operations.ts'
import { terminalProtocol } from '../contract/views/terminal-frames.ts'
import { normalizeAddress } from './address.ts'
import { apiErrorOf, unreachable } from './api-error.ts'
import type { ClientOptions } from './client.ts'
import { requestOf } from './request.ts'

/** Most bytes of a refusal, which is a sentence. */
const refusalBytes = 64 * 1024
/** The api waits for the cluster for up to 15 seconds. */
const openMs = 30_000

/**
 * Resolves with a WebSocket that stands, paused: nothing is lost before `resume`.
 * @throws ApiError when the service refuses, UnreachableError when it does not answer, AbortError
 */
export async function openTerminal(
  { baseUrl, token, userAgent }: Pick<ClientOptions, 'baseUrl' | 'token' | 'userAgent'>,
  params: ParamsInput<'apps.console'>,
  signal: AbortSignal,
): Promise<WebSocket> {
  const { path, query } = requestOf('apps.console', { ...params })
  const address = normalizeAddress(baseUrl)
  const socket = new WebSocket(
    `${address.replace(/^http/, 'ws')}/api/v1${path}?${query.toString()}`,
    [terminalProtocol],
    {
      headers: { 'user-agent': userAgent, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      handshakeTimeout: openMs,
      perMessageDeflate: false,
    },
  )
  const abort = (): void => socket.terminate()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await opened(socket)
  } catch (error) {
    throw signal.aborted ? signal.reason : unreachable(address, error)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function opened(socket: WebSocket): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    // Stays: `close` follows a break, and an error without a listener would end the process.
    socket.on('error', reject)
    socket.once('open', () => {
      socket.pause()
      resolve(socket)
    })
    socket.once('unexpected-response', (_request, answer) => {
      textOf(answer).then((text) => reject(apiErrorOf(answer.statusCode ?? 0, text)), reject)
    })
  })
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > refusalBytes) break
  }
  return text
}
