/**
 * The short way of frequent reads: before the application, without its middlewares, and with no rules of its own. A
 * request that it cannot answer with certainty (credentials that need a call to the API server, a refusal, a long
 * answer that might be compressed) stays untouched, and the application serves it from the start.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../../cluster/objects/log.ts'
import type { Caller } from '../../contract/caller.ts'
import type { Fields } from '../../contract/json/decode.ts'
import { formToFields } from '../../contract/json/fields.ts'
import type { Operation } from '../../contract/operation.ts'
import { operations, type OperationId, type Params } from '../../contract/operations.ts'
import { BoundedMap } from '../../records/counters/bounded-map.ts'
import type { Call, Handler } from '../context/handler.ts'
import { jsonOf } from '../views/memoized-body.ts'
import { etagOf } from '../views/record-version.ts'
import { authorize, authorizeFields } from './middleware/authorize.ts'
import { apiHeaders, shortBytes } from './middleware/headers.ts'
import { logRequest, requestIdHeader, requestIdOf } from './middleware/request-log.ts'
import { dashboardRoutes, v1Routes, type ListedRoute } from './routes.ts'
import { credentialsOf, jsonType, paramsOf, type Edge } from './serve.ts'

/** Reads that handlers answer from the caches alone. */
export const shortReads: ReadonlySet<OperationId> = new Set([
  'platform.version',
  'platform.me',
  'platform.bootstrap',
  'auth.session',
  'projects.list',
  'projects.get',
  'apps.list',
  'apps.get',
  'apps.status',
  'apps.deployments',
  'apps.runtime',
  'databases.list',
  'databases.get',
  'logical-databases.list',
  'logical-databases.get',
  'object-stores.list',
  'object-stores.get',
  'nodes.list',
  'templates.list',
])

export interface ShortWayOptions {
  readonly edge: Pick<Edge, 'handlers' | 'authenticateCached'>
  readonly log: Logger
  /** Milliseconds, for durations only. */
  readonly clock: () => number
  readonly onShortAnswer: (operation: string, status: number, ms: number) => void
}

/**
 * Undefined for a request that is none of these reads. Otherwise resolves with whether it was answered; if not, nothing
 * was written, logged or counted.
 */
export type ShortWay = (request: IncomingMessage, response: ServerResponse) => Promise<boolean> | undefined

export function createShortWay({ edge, log, clock, onShortAnswer }: ShortWayOptions): ShortWay {
  const readOf = createReads()
  const answer = async (read: Read, request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const startedAt = clock()
    const { id, path } = read
    const caller = callerOf(edge, read, request)
    if (caller === undefined) return false
    const requestId = requestIdOf(String(request.headers['x-request-id'] ?? ''))
    const view = await viewOf(edge, read, new ShortCall(read.params, caller, requestId))
    if (view === undefined) return false
    const body = jsonOf(view)
    const bytes = Buffer.byteLength(body)
    if (bytes >= shortBytes && request.headers['accept-encoding'] !== undefined) return false
    response.writeHead(200, headOf(requestId, bytes, etagOf(view)))
    response.end(body)
    const ms = clock() - startedAt
    onShortAnswer(id, 200, ms)
    logRequest(log, { requestId, method: 'GET', path, status: 200, ms })
    return true
  }
  return (request, response) => {
    const read = isPlain(request) ? readOf(request.url ?? '') : undefined
    return read === undefined ? undefined : answer(read, request, response)
  }
}

/** Headers that need the application, and those of a body, which no read has. */
const unusual = ['if-match', 'content-length', 'transfer-encoding', 'upgrade', 'expect'] as const

function isPlain({ method, httpVersion, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    httpVersion === '1.1' &&
    headers.host !== undefined &&
    unusual.every((name) => headers[name] === undefined)
  )
}

/** The caller, if authorized for this read; undefined for a refusal, or where the credentials are not in the cache. */
function callerOf(edge: Pick<Edge, 'authenticateCached'>, read: Read, { headers }: IncomingMessage) {
  const operation: Operation = operations[read.id]
  try {
    const { authorization = '', cookie = '' } = headers
    const caller = edge.authenticateCached(credentialsOf(operation, { authorization, cookie }))
    if (caller === undefined) return undefined
    authorize(operation, read.route.projectToken === true, caller)
    authorizeFields(operation, caller, read.fields)
    return caller
  } catch {
    return undefined // the application refuses it in its own words
  }
}

/**
 * The answer; undefined where the handler refuses, fails, or needs a part of the call that the short way does not have.
 */
async function viewOf(edge: Pick<Edge, 'handlers'>, { id }: Read, call: ShortCall): Promise<unknown> {
  // Params were decoded with the schema of this operation: a pairing that the types of a table cannot express.
  const handler = edge.handlers[id] as Handler<OperationId>
  try {
    return await handler(call)
  } catch {
    return undefined // the application asks the handler again, and says or logs why
  }
}

/** The call of a read from the caches. A handler that needs more of it is called again by the application. */
class ShortCall implements Call<OperationId> {
  readonly params: Params<OperationId>
  readonly caller: Caller
  readonly requestId: string

  constructor(params: Params<OperationId>, caller: Caller, requestId: string) {
    this.params = params
    this.caller = caller
    this.requestId = requestId
  }

  get signal(): never {
    throw new NotHere()
  }

  get respond(): never {
    throw new NotHere()
  }

  get origin(): never {
    throw new NotHere()
  }
}

class NotHere extends Error {}

const steadyHead = apiHeaders.flat()

/** The head of an answer: its headers in the order in which the application sets them. */
function headOf(requestId: string, bytes: number, etag: string | undefined): string[] {
  const head = [requestIdHeader, requestId, ...steadyHead, 'Content-Type', jsonType, 'Content-Length', String(bytes)]
  if (etag !== undefined) head.push('ETag', etag)
  if (bytes >= shortBytes) head.push('Vary', 'Accept-Encoding')
  return head
}

/** One parsed address of a read. */
interface Read extends Pick<ListedRoute, 'id' | 'route'> {
  readonly path: string
  /** Fields of the query. */
  readonly fields: Fields
  /** Shared by all requests for the address, since handlers never change them. */
  readonly params: Params<OperationId>
}

/** So many parsed addresses are kept; beyond that some are parsed more often than needed. */
const readsKept = 2_000
const longestKept = 256
/** Addresses that need no decoding. */
const plainAddress = /^(\/api\/[\w.~/-]+)(?:\?([\w.~&=%+-]*))?$/

function createReads(): (url: string) => Read | undefined {
  const known = new BoundedMap<string, Read>(readsKept)
  const match = createMatch()
  return (url) => {
    const kept = known.get(url)
    if (kept !== undefined || url.length > longestKept) return kept
    const [, path, query = ''] = plainAddress.exec(url) ?? []
    const found = path === undefined ? undefined : match(path)
    if (path === undefined || found === undefined) return undefined
    try {
      const fields = formToFields(query)
      const read = { id: found.id, route: found.route, path, fields, params: paramsOf(found, fields, found.pathParams) }
      known.set(url, read)
      return read
    } catch {
      return undefined // refused by the application
    }
  }
}

interface Match extends Pick<ListedRoute, 'id' | 'route'> {
  readonly pathParams: Readonly<Record<string, string>>
}

/** The first route that fits, as in the router; undefined when it is none of the short reads. */
function createMatch(): (path: string) => Match | undefined {
  const reads = [...v1Routes, ...dashboardRoutes]
    .filter(({ method }) => method === 'GET')
    .map(({ id, route, path }) => ({ id, route, pattern: patternOf(path) }))
  return (path) => {
    const found = reads.find(({ pattern }) => pattern.test(path))
    if (found === undefined || !shortReads.has(found.id)) return undefined
    return { id: found.id, route: found.route, pathParams: { ...found.pattern.exec(path)?.groups } }
  }
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
