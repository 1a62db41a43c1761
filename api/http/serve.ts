/**
 * Serves a matched request in order: authenticate, authorize, check the origin, read and parse the fields, call the
 * handler, answer.
 */
import type { Context } from 'koa'
import { ClusterError } from '../../cluster/objects/errors.ts'
import type { Logger } from '../../cluster/objects/log.ts'
import type { Caller } from '../../contract/caller.ts'
import { decode, type Fields } from '../../contract/json/decode.ts'
import { isWrite, type DashboardRoute, type Operation, type V1Route } from '../../contract/operation.ts'
import { operations, type OperationId, type Params } from '../../contract/operations.ts'
import { Problem, refuse } from '../../contract/problem.ts'
import { terminalCloses, type FrameStream } from '../../contract/views/terminal-frames.ts'
import type { Call, Handler, HandlerTable } from '../context/handler.ts'
import { jsonOf } from '../views/memoized-body.ts'
import { etagOf } from '../views/record-version.ts'
import { answerEvents } from './event-answer.ts'
import {
  isBearer,
  sessionCookieOf,
  type Authenticate,
  type AuthenticateCached,
  type Credentials,
} from './middleware/authenticate.ts'
import { authorize, authorizeFields } from './middleware/authorize.ts'
import type { ReadBody } from './middleware/body.ts'
import { audit, auditEnd, auditMade } from './middleware/request-log.ts'
import { checkHost, checkOrigin, type OriginHeaders } from './middleware/same-origin.ts'
import { originOf, respondTo, type Way } from './respond.ts'
import type { StreamLimit } from './stream-limit.ts'
import { answerTerminal } from './terminal-answer.ts'
import { checkHandshake, takeOver } from './upgrade.ts'

/** What the edge needs to serve any operation. */
export interface Edge extends Way {
  readonly handlers: HandlerTable<OperationId>
  /** The caller with these credentials; throws 401 for an invalid Bearer token, whatever the cookie is. */
  readonly authenticate: Authenticate
  /** As `authenticate`, from the cache alone: undefined where `authenticate` would have to wait or would refuse. */
  readonly authenticateCached: AuthenticateCached
  /** As `authenticate`, for a request that was accepted before: does not count as a use of the token. */
  readonly recognise: Authenticate
  /** Throws Problem not_found for a service that does not exist, or that the caller may not see. */
  readonly seeApp: (caller: Caller, app: string) => Promise<unknown>
  /** Reports changed credentials until the returned function is called. */
  readonly onCredentials: (listener: () => void) => () => void
  /** Reads the body of a request once its caller is authorized. */
  readonly readBody: ReadBody
  readonly streams: StreamLimit
  /** For the end of a terminal, which is logged long after its answer. */
  readonly log: Logger
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Fires when the server stops: ends streams. */
  readonly stopping: AbortSignal
}

/** One route of one surface, and how that surface reads the fields of a request. */
export interface Served {
  readonly id: OperationId
  readonly route: V1Route | DashboardRoute
  readonly readFields: (ctx: Context, caller: Caller) => Fields
}

/** Serves a matched request; `pathParams` are the decoded parameters of its path and win over fields of their name. */
export async function serve(
  edge: Edge,
  served: Served,
  ctx: Context,
  pathParams: Record<string, string>,
): Promise<void> {
  const operation: Operation = operations[served.id]
  const caller = await callerOf(edge, edge.authenticate, operation, ctx)
  audit(ctx, { operation: served.id, caller, params: pathParams })
  authorize(operation, served.route.projectToken === true, caller)
  if (isWrite(operation)) {
    // A sign-in does not depend on the old cookie, and programs that sign in send no Origin; a page of another site
    // always does.
    const headers = originHeaders(ctx, operation)
    if (served.id !== 'auth.login') checkOrigin(caller, headers, edge.dashboardUrl())
    else if (headers.origin !== '') checkHost(headers, edge.dashboardUrl())
  }
  await edge.readBody(ctx, caller)
  const fields = served.readFields(ctx, caller)
  authorizeFields(operation, caller, fields)
  const params = await paramsOrUnseen(edge, served, fields, caller, pathParams)
  audit(ctx, { operation: served.id, caller, params })
  await run(edge, served, ctx, caller, params)
}

/**
 * `paramsOf`, but a service that a project token may not see is 404 whatever the fields are
 * (docs/reference/access.md#project-tokens). Fields that hold leave that to the handler, which reads the service.
 */
async function paramsOrUnseen(
  edge: Edge,
  served: Served,
  fields: Fields,
  caller: Caller,
  pathParams: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  try {
    return paramsOf(served, fields, pathParams)
  } catch (refusal) {
    const { app } = pathParams
    if (caller.role === 'project' && app !== undefined) await edge.seeApp(caller, app)
    throw refusal
  }
}

/** The parameters of an operation. Throws Problem for fields that are missing or refused. */
export function paramsOf(
  { id, route }: Pick<Served, 'id' | 'route'>,
  fields: Fields,
  pathParams: Readonly<Record<string, string>>,
): Params<OperationId> {
  const all = new Map(fields)
  for (const [name, value] of Object.entries(pathParams)) all.set(name, [value])
  requireFields(route, all)
  const { params }: Operation = operations[id]
  return decode(params, all) as Params<OperationId> // decoded with its schema
}

async function run(
  edge: Edge,
  { id, route }: Served,
  ctx: Context,
  caller: Caller,
  params: Params<OperationId>,
): Promise<void> {
  const operation: Operation = operations[id]
  if (operation.terminal === true) checkHandshake(ctx)
  if (operation.terminal === true) edge.streams.admit(id, caller, ctx.req.socket)
  if (operation.stream === true) edge.streams.admit(id, caller, ctx.res)
  const signal = goneSignal(ctx, edge.stopping)
  // `*` means any version, the same as no header.
  const ifMatch = ctx.get('if-match').replace(/^\*$/, '').replace(/^W\//, '').replaceAll('"', '')
  const call: Call<OperationId> = {
    params,
    caller,
    requestId: String(ctx.state['requestId']),
    get signal() {
      return signal()
    },
    respond: respondTo(ctx, edge),
    // Computed on access: few handlers need it.
    get origin() {
      return originOf(ctx, edge)
    },
    ...(ifMatch === '' ? {} : { ifMatch }),
  }
  // Params were decoded with the schema of this operation: a pairing that the types of a table cannot express.
  const handler = edge.handlers[id] as Handler<OperationId>
  const view = await handler(call)
  const allowed = () => isStillAllowed(edge, operation, route.projectToken === true, ctx)
  // The view of a terminal is its connection to the copy.
  if (operation.terminal === true) return joinTerminal(edge, ctx, view as FrameStream, allowed)
  if (operation.stream === true) {
    return answerEvents(ctx, view as AsyncIterable<never>, {
      signal: call.signal,
      allowed,
      onCredentials: edge.onCredentials,
    }) // the view of a stream
  }
  if (isWrite(operation)) auditMade(ctx, view as object) // the view of a write is no stream
  ctx.status = operation.status ?? 200
  ctx.type = jsonType
  // Serialized here, once: Koa would serialize an object again to find its length.
  ctx.body = jsonOf(view)
  const etag = etagOf(view)
  if (etag !== undefined) ctx.set('ETag', etag)
}

/**
 * Joins the caller's WebSocket with the terminal of the copy; closes the latter if the caller has disconnected
 * meanwhile.
 */
function joinTerminal(edge: Edge, ctx: Context, copy: FrameStream, allowed: () => Promise<boolean>): void {
  const socket = takeOver(ctx)
  if (socket === undefined) return copy.close(...terminalCloses.ended)
  const since = new Date(edge.now()).toISOString()
  answerTerminal(socket, copy, {
    stopping: edge.stopping,
    allowed,
    onCredentials: edge.onCredentials,
    onEnd: (ended) => auditEnd(edge.log, ctx, { since, ended }),
    onTrouble: (error) => ctx.app.emit('error', error, ctx),
  })
}

export const jsonType = 'application/json; charset=utf-8'

/**
 * Created on first access: most handlers need no signal, and an abort at the end of each answer costs more than a small
 * answer.
 */
function goneSignal(ctx: Context, stopping: AbortSignal): () => AbortSignal {
  let made: AbortSignal | undefined
  return () => {
    if (made !== undefined) return made
    const gone = new AbortController()
    if (ctx.res.closed) gone.abort()
    else ctx.res.once('close', () => gone.abort())
    made = AbortSignal.any([gone.signal, stopping])
    return made
  }
}

/**
 * The credentials that count. A public operation ignores a Bearer token, so that a caller with an expired one can sign
 * in again.
 * @param headers an empty text for a missing header
 * @throws Problem for two session cookies
 */
export function credentialsOf(
  { access }: Operation,
  headers: { readonly authorization: string; readonly cookie: string },
): Omit<Credentials, 'address'> {
  const authorization = access === 'public' ? '' : headers.authorization
  return { authorization, cookie: isBearer(authorization) ? undefined : sessionCookieOf(headers.cookie) }
}

async function callerOf(edge: Edge, authenticate: Authenticate, operation: Operation, ctx: Context): Promise<Caller> {
  const sent = credentialsOf(operation, { authorization: ctx.get('authorization'), cookie: ctx.get('cookie') })
  return authenticate({ ...sent, address: () => originOf(ctx, edge).address })
}

/**
 * Whether the caller of a stream may continue it. While the API server does not answer, the rights count as unchanged.
 */
async function isStillAllowed(edge: Edge, operation: Operation, projectToken: boolean, ctx: Context): Promise<boolean> {
  try {
    authorize(operation, projectToken, await callerOf(edge, edge.recognise, operation, ctx))
    return true
  } catch (error) {
    // `rate_limited`: the token cannot be looked up now, so the stream ends; its owner may open it again.
    if (error instanceof Problem && ['unauthenticated', 'forbidden', 'rate_limited'].includes(error.code)) return false
    if (error instanceof ClusterError) return true
    throw error
  }
}

function requireFields(route: V1Route | DashboardRoute, fields: Fields): void {
  for (const [name, refusal] of Object.entries(route.required ?? {})) {
    if (!fields.has(name)) throw refuse(refusal)
  }
}

const originHeaders = (ctx: Context, { terminal }: Operation): OriginHeaders => ({
  origin: ctx.get('origin'),
  referer: ctx.get('referer'),
  host: ctx.host,
  site: terminal === true ? '' : ctx.get('sec-fetch-site'), // not every browser has it right for a WebSocket
})
