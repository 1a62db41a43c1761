/**
 * A stand-in for Cloudflare's API (version 4) on loopback: zones, DNS records and tunnels in memory, with answers in
 * the shapes of Cloudflare's reference.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StandInRecord {
  id: string
  type: string
  name: string
  content: string
  proxied: boolean
  ttl: number
  comment: string | null
}

export interface StandInTunnel {
  id: string
  name: string
  token: string
  deleted_at: string | null
  config: { ingress: { hostname?: string; service: string }[] } | null
}

export interface Fault {
  /** Must match method and path, e.g. `POST /zones/…/dns_records`. */
  on: RegExp
  /** An answer in place of the effect, or a connection closed before or after the effect. */
  does:
    | { status: number; headers?: Record<string, string>; errors?: { code: number; message: string }[] }
    | 'drop-before'
    | 'drop-after'
  /** Number of calls that it applies to; unlimited when left out. */
  times?: number
}

export interface CloudflareStandIn {
  readonly url: string
  readonly token: string
  readonly account: string
  /** Method and path of every call, in order of arrival. */
  readonly calls: string[]
  zone(name: string): { id: string; records: StandInRecord[] }
  forgetZone(name: string): void
  readonly tunnels: StandInTunnel[]
  /** Replaces the accepted tokens. */
  accept(tokens: readonly string[]): void
  /** Limits tokens to calls that match, e.g. `GET /zones`; undefined allows every call. */
  allow(what: RegExp | undefined): void
  fault(fault: Fault): void
  heal(): void
  /** Called with e.g. `POST /zones/…` before and after each write takes effect; its promise is awaited. */
  onWrite(listener: (moment: 'before' | 'after', call: string) => Promise<void> | void): void
  stop(): Promise<void>
}

interface Answer {
  status: number
  result?: unknown
  errors?: { code: number; message: string }[]
  info?: object
}

const hex = (): string => randomBytes(16).toString('hex')
const ok = (result: unknown, info?: object): Answer => ({
  status: 200,
  result,
  ...(info === undefined ? {} : { info }),
})
const no = (status: number, code: number, message: string): Answer => ({ status, errors: [{ code, message }] })

export async function startCloudflareStandIn(): Promise<CloudflareStandIn> {
  const zones: { id: string; name: string; records: StandInRecord[] }[] = []
  const tunnels: StandInTunnel[] = []
  const account = hex()
  const token = `v1.0-${hex()}`
  const calls: string[] = []
  let tokens: readonly string[] = [token]
  let allowed: RegExp | undefined
  let faults: Fault[] = []
  let listener: (moment: 'before' | 'after', call: string) => Promise<void> | void = () => undefined

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer) // no encoding is set
    const call = `${request.method ?? ''} ${url.pathname}`
    calls.push(call)
    const fault = faults.find(({ on, times }) => on.test(call) && times !== 0)
    if (fault?.times !== undefined) fault.times -= 1
    if (fault?.does === 'drop-before') return void response.destroy()
    if (typeof fault?.does === 'object') {
      const { status, headers = {}, errors = [] } = fault.does
      return void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(envelope({ status, errors }))
    }
    const writes = request.method !== 'GET'
    if (writes) await listener('before', call)
    const answer =
      authorized(request) ??
      route(
        request.method ?? '',
        url,
        chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as object),
      )
    if (writes) await listener('after', call)
    if (fault?.does === 'drop-after') return void response.destroy()
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(envelope(answer))
  }

  const authorized = (request: IncomingMessage): Answer | undefined => {
    const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    if (given === undefined) return no(400, 6003, 'Invalid request headers')
    if (!tokens.includes(given)) return no(403, 9109, 'Invalid access token')
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    return allowed === undefined || allowed.test(`${request.method ?? ''} ${path}`)
      ? undefined
      : no(403, 10000, 'Authentication error')
  }

  const route = (method: string, url: URL, body: object): Answer => {
    const parts = url.pathname.split('/').slice(1).map(decodeURIComponent)
    if (parts[0] === 'zones' && parts.length === 1) {
      return paged(
        url,
        url.searchParams.get('account.id') === account
          ? zones.map(({ id, name }) => ({ id, name, account: { id: account } }))
          : [],
      )
    }
    if (parts[0] === 'zones' && parts[2] === 'dns_records') {
      const zone = zones.find(({ id }) => id === parts[1])
      return zone === undefined
        ? no(404, 7003, 'Could not route to the zone')
        : recordRoute(zone, method, parts[3], url, body)
    }
    if (parts[0] === 'accounts' && parts[1] === account && parts[2] === 'cfd_tunnel')
      return tunnelRoute(tunnels, method, parts.slice(3), url, body)
    return no(404, 7003, `Could not route to ${url.pathname}`)
  }

  const server = createServer((request, response) => void take(request, response).catch(() => response.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // listens on TCP, so it has one
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    account,
    calls,
    zone(name) {
      const known = zones.find((zone) => zone.name === name)
      if (known !== undefined) return known
      const made = { id: hex(), name, records: [] }
      zones.push(made)
      return made
    },
    forgetZone: (name) => void zones.splice(0, zones.length, ...zones.filter((zone) => zone.name !== name)),
    tunnels,
    accept: (next) => {
      tokens = next
    },
    allow: (what) => {
      allowed = what
    },
    fault: (fault) => void faults.push({ ...fault }),
    heal: () => {
      faults = []
      allowed = undefined
      tokens = [token]
    },
    onWrite: (next) => {
      listener = next
    },
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

function envelope({ status, result = null, errors = [], info }: Answer): string {
  return JSON.stringify({
    success: status < 300,
    errors,
    messages: [],
    result,
    ...(info === undefined ? {} : { result_info: info }),
  })
}

function paged(url: URL, all: readonly object[]): Answer {
  const page = Number(url.searchParams.get('page') ?? 1)
  const size = Number(url.searchParams.get('per_page') ?? 20)
  const items = all.slice((page - 1) * size, page * size)
  return ok(items, {
    page,
    per_page: size,
    count: items.length,
    total_count: all.length,
    total_pages: Math.ceil(all.length / size),
  })
}

function recordRoute(
  zone: { records: StandInRecord[]; name: string },
  method: string,
  id: string | undefined,
  url: URL,
  body: Partial<StandInRecord>,
): Answer {
  const { records } = zone
  if (id === undefined && method === 'GET') {
    const [name, mark] = [url.searchParams.get('name.exact'), url.searchParams.get('comment.startswith')?.toLowerCase()]
    const fits = ({ name: own, comment }: StandInRecord) =>
      (name === null || own === name) && (mark === undefined || comment?.toLowerCase().startsWith(mark) === true)
    return paged(url, records.filter(fits))
  }
  const record = records.find((each) => each.id === id)
  if (id !== undefined && record === undefined) return no(404, 81044, 'Record does not exist.')
  if (method === 'DELETE' && record !== undefined) {
    records.splice(records.indexOf(record), 1)
    return ok({ id })
  }
  const wanted = { type: 'A', name: '', content: '', proxied: false, ttl: 1, comment: null, ...record, ...body }
  const refused = refusalOf(zone, wanted, record)
  if (refused !== undefined) return refused
  if (record !== undefined) return ok(Object.assign(record, wanted))
  const made = { ...wanted, id: hex() }
  records.push(made)
  return ok(made)
}

/** An alias excludes every other record of its name, and no record may exist twice. */
function refusalOf(
  { records, name: zone }: { records: readonly StandInRecord[]; name: string },
  wanted: Omit<StandInRecord, 'id'>,
  self: StandInRecord | undefined,
): Answer | undefined {
  if ((wanted.comment ?? '').length > 100) return no(400, 9207, 'DNS comment too long')
  if (wanted.name !== zone && !wanted.name.endsWith(`.${zone}`)) return no(400, 9005, 'The name is not in the zone')
  const others = records.filter(
    (record) => record !== self && record.name === wanted.name && ['A', 'AAAA', 'CNAME'].includes(record.type),
  )
  if (others.some(({ type, content }) => type === wanted.type && content === wanted.content))
    return no(400, 81058, 'An identical record already exists.')
  if (others.some(({ type }) => type === 'CNAME' || wanted.type === 'CNAME'))
    return no(400, 81053, 'An A, AAAA, or CNAME record with that host already exists.')
  return undefined
}

function tunnelRoute(
  tunnels: StandInTunnel[],
  method: string,
  [id, part]: readonly string[],
  url: URL,
  body: object,
): Answer {
  const shown = ({ id: own, name, deleted_at }: StandInTunnel) => ({
    id: own,
    name,
    deleted_at,
    tun_type: 'cfd_tunnel',
    status: 'inactive',
    remote_config: true,
  })
  if (id === undefined) {
    const { name = '' } = body as { name?: string }
    if (method === 'GET')
      return ok(
        tunnels.filter((each) => each.deleted_at === null && each.name === url.searchParams.get('name')).map(shown),
      )
    if (tunnels.some((each) => each.deleted_at === null && each.name === name))
      return no(409, 1013, 'You already have a tunnel with this name')
    const made: StandInTunnel = {
      id: randomUUID(),
      name,
      token: Buffer.from(hex()).toString('base64'),
      deleted_at: null,
      config: null,
    }
    tunnels.push(made)
    return ok({ ...shown(made), token: made.token })
  }
  const tunnel = tunnels.find((each) => each.id === id && each.deleted_at === null)
  if (tunnel === undefined) return no(404, 1003, 'Tunnel not found')
  if (part === 'token') return ok(tunnel.token)
  if (part === 'connections') return ok(null)
  if (part === 'configurations') {
    if (method === 'PUT') tunnel.config = (body as Pick<StandInTunnel, 'config'>).config
    return ok({ tunnel_id: id, version: 1, config: tunnel.config })
  }
  if (method === 'DELETE') tunnel.deleted_at = new Date().toISOString()
  return ok(shown(tunnel))
}
