/**
 * Serves many agents over HTTP. Every request carries the agent's own token, and the service is asked about it each
 * time: a token that was revoked ends its sessions with the next request.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { ApiError } from '../../client/api-error.ts'
import { createClient, type ClientOptions } from '../../client/client.ts'
import { idleConnectionMs } from '../../contract/process-limits.ts'
import { createAgentServer } from '../server.ts'
import type { ServeOptions } from '../stdio.ts'
import { toolsFor } from '../toolset.ts'
import { isLoopbackHost, parseListenAddress, sameSite, type ListenAddress, type SameSite } from './same-site.ts'
import { createSessions, type Sessions } from './sessions.ts'

export interface HttpOptions extends ServeOptions {
  /** The value of `--listen`. */
  readonly address: string
  /** More names that requests may be addressed to, with commas: those of a proxy in front. */
  readonly allowedHosts: string
  /** Prints a line where the server was started. */
  readonly note: (line: string) => void
}

const path = '/mcp'
const sweepMs = 60_000

/** Ends with the signal. @throws Error with a sentence when the address is none or cannot be listened at. */
export async function serveHttp(service: Omit<ClientOptions, 'token'>, options: HttpOptions): Promise<void> {
  const { address, allowedHosts, note, signal, now } = options
  const asked = parseListenAddress(address)
  if (asked === undefined)
    throw new Error(`"${address}" is not an address to listen at, such as 8090 or 127.0.0.1:8090`)
  keepHeapSmall()
  const sessions = createSessions(now)
  const allows = sameSite(
    asked,
    allowedHosts.split(',').filter((name) => name !== ''),
  )
  const server = createServer((request, response) => {
    void answer({ service, options, sessions, allows }, request, response)
  })
  server.keepAliveTimeout = idleConnectionMs
  const { port } = await listen(server, asked)
  const host = asked.host.includes(':') ? `[${asked.host}]` : asked.host
  note(`listening on http://${host}:${port}${path}; each agent sends its own token`)
  if (!isLoopbackHost(asked.host))
    note('warning: other machines can reach this address, and tokens travel as plain text: put TLS in front of it')
  const sweep = setInterval(() => void sessions.endSilent(), sweepMs)
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  clearInterval(sweep)
  await sessions.endAll()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

/**
 * What a call makes dies with it, and V8 would make its heap ever larger for such garbage. How large its heap may be is
 * chosen at the start of a process, which agent programs and shells do; by how much it grows can be chosen later
 * (docs/performance.md#the-command-line).
 */
const keepHeapSmall = (): void => {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=50')
}

async function listen(server: Server, { host, port }: ListenAddress): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return server.address() as AddressInfo // listening on TCP, so never a path
}

interface Desk {
  service: Omit<ClientOptions, 'token'>
  options: HttpOptions
  sessions: Sessions
  allows: SameSite
}

async function answer(desk: Desk, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    await serve(desk, request, response)
  } catch (error) {
    desk.options.note(`error: ${error instanceof Error ? error.message : String(error)}`)
    if (!response.headersSent) refuse(response, 500, 'the request could not be served')
    else response.destroy()
  }
}

async function serve({ service, options, sessions, allows }: Desk, request: IncomingMessage, response: ServerResponse) {
  const { headers, method = '', url = '' } = request
  if (!allows(headers.host, headers.origin)) return refuse(response, 403, 'this host or origin is not allowed')
  if (url.split('?')[0] !== path) return refuse(response, 404, `the agent tools are at ${path}`)
  // There is nothing that this server would say unasked, so no stream is opened by GET.
  if (method !== 'POST' && method !== 'DELETE')
    return refuse(response, 405, 'method not allowed', { allow: 'POST, DELETE' })
  const token = bearerOf(headers.authorization)
  if (token === undefined) return refuse(response, 401, 'authentication required', challenge)
  const client = createClient({ ...service, token })
  const me = await askMe(client, sessions, token)
  if (me instanceof Error) {
    return me instanceof ApiError && me.status < 500
      ? refuse(response, me.status, me.message, me.status === 401 ? challenge : {})
      : refuse(response, 502, me.message)
  }
  const id = headers['mcp-session-id']
  const gone = endOf(response)
  const authInfo = { token: '', clientId: '', scopes: [], extra: { gone } }
  if (id !== undefined) {
    const session = sessions.find(String(id), token)
    if (session === undefined) return refuse(response, 404, 'there is no such session: initialize a new one')
    session.busy += 1
    gone.addEventListener('abort', () => (session.busy -= 1), { once: true })
    return await session.transport.handleRequest(Object.assign(request, { auth: authInfo }), response)
  }
  const server = createAgentServer({ ...options, client, tools: toolsFor(me, options), goneOf })
  const transport = await sessions.open(token, server)
  await transport.handleRequest(Object.assign(request, { auth: authInfo }), response)
  if (transport.sessionId === undefined) await server.close() // it was no initialization, and was refused
}

/** What the service says of the token; the error when it says nothing or refuses the token, whose sessions end then. */
async function askMe(client: ReturnType<typeof createClient>, sessions: Sessions, token: string) {
  try {
    return await client.call('platform.me', {})
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (error instanceof ApiError && error.status === 401) await sessions.endAllOf(token)
    return error
  }
}

/** Aborted when the answer is out or the agent has gone: a wait whose end reaches no agent is given up. */
function endOf(response: ServerResponse): AbortSignal {
  const end = new AbortController()
  response.once('close', () => end.abort())
  return end.signal
}

/** The signal that `serve` put beside the request. */
function goneOf(authInfo: unknown): AbortSignal | undefined {
  const extra = typeof authInfo === 'object' && authInfo !== null && 'extra' in authInfo ? authInfo.extra : undefined
  const gone = typeof extra === 'object' && extra !== null && 'gone' in extra ? extra.gone : undefined
  return gone instanceof AbortSignal ? gone : undefined
}

const challenge = { 'www-authenticate': 'Bearer realm="svc"' }

const bearerOf = (header: string | undefined): string | undefined => /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]

/** An error in the protocol's shape; the connection ends, so that a body that is not read does no harm. */
function refuse(response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { ...headers, 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }))
}
