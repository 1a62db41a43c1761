/**
 * The handshake of a WebSocket. It goes through the application like every request, so that the same functions
 * authorize its caller and a refusal is an ordinary answer; the route of a terminal then gets the connection.
 */
import { ServerResponse, type IncomingMessage, type RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Context } from 'koa'
import { WebSocketServer, type WebSocket } from 'ws'
import { terminalFrameBytes } from '../../contract/limits.ts'
import { refuse } from '../../contract/problem.ts'
import { terminalProtocol } from '../../contract/views/terminal-frames.ts'
import { requestIdHeader } from './middleware/request-log.ts'

/** The connection of an upgrade request. */
interface Handshake {
  readonly socket: Socket
  /** The bytes that came after the head of the request. */
  readonly head: Buffer
}

/** The handshake of each request, until its connection is handed over. */
const handshakes = new WeakMap<IncomingMessage, Handshake>()

/** Paths whose requests may become a WebSocket; elsewhere `Upgrade` is passed over (RFC 9110, 7.8). */
const path = /\/console\/ws(\?|$)/

export const mayUpgrade = ({ url = '', headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && path.test(url)

/** Listener for `upgrade` of a server. A refusal closes the connection: Node reads no further request from it. */
export function createUpgradeListener(answer: RequestListener) {
  return (request: IncomingMessage, duplex: Duplex, head: Buffer): void => {
    const socket = duplex as Socket // of a server of TCP connections
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once('finish', () => {
      response.detachSocket(socket)
      socket.destroySoon()
    })
    // `close` shows that a caller has gone; without this listener an error of the socket would end the process.
    socket.on('error', () => undefined)
    handshakes.set(request, { socket, head })
    answer(request, response)
  }
}

/** Throws Problem unless the request is a handshake that `takeOver` can finish. */
export function checkHandshake({ req, headers }: Context): void {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim())
  const fits =
    handshakes.has(req) &&
    headers['sec-websocket-version'] === '13' &&
    /^[+/\dA-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '') &&
    offered.includes(terminalProtocol)
  if (!fits) throw refuse(`open a WebSocket here, with the subprotocol ${terminalProtocol}`)
}

const server = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  maxPayload: terminalFrameBytes,
  // Answers to keystrokes are short, and the size of a text that is compressed together with a secret reveals the
  // secret.
  perMessageDeflate: false,
  handleProtocols: () => terminalProtocol,
})

/** Answers 101 and hands out the connection; undefined when the caller has gone away meanwhile. */
export function takeOver(ctx: Context): WebSocket | undefined {
  const handshake = handshakes.get(ctx.req)
  if (handshake === undefined) throw new Error('the request is no handshake')
  handshakes.delete(ctx.req)
  const { socket, head } = handshake
  ctx.respond = false
  ctx.status = 101
  ctx.res.detachSocket(socket)
  if (socket.destroyed) return undefined
  let opened: WebSocket | undefined
  const named = (headers: string[]) => headers.push(`${requestIdHeader}: ${String(ctx.state['requestId'])}`)
  server.once('headers', named)
  // `ws` calls back before it returns, or not at all.
  server.handleUpgrade(ctx.req, socket, head, (webSocket) => (opened = webSocket))
  server.off('headers', named)
  return opened
}
