/** The way of one matched request: authenticate, authorize, same origin, fields, one parse, handler, answer. */
import type { Context } from 'koa'
import { ClusterError } from '../../cluster/objects/errors.ts'
import type { Logger } from '../../cluster/objects/log.ts'
import type { Caller } from '../../contract/caller.ts'
import { decode, type Fields } from '../../contract/json/decode.ts'
import { isWrite, type DashboardRoute, type Operation, type V1Route } from '../../contract/operation.ts'
import { operations, type OperationId } from '../../contract/operations.ts'
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
import { audit, auditEnd } from './middleware/request-log.ts'
import { checkHost, checkOrigin } from './middleware/same-origin.ts'
import { originOf, respondTo, type Way } from './respond.ts'
import type { StreamLimit } from './stream-limit.ts'
import { answerTerminal } from './terminal-answer.ts'
import { checkHandshake, takeOver } from './upgrade.ts'

/** What the edge needs to serve any operation. */
export interface Edge extends Way {
  readonly handlers: HandlerTable<OperationId>
  /** Who the credentials of a request belong to; throws 401 for a Bearer token that fails, whatever the cookie says. */
  readonly authenticate: Authenticate
  /** Like `authenticate`, from the cache alone: undefined where that would wait or refuse. */
  readonly authenticateCached: AuthenticateCached
  /** Like `authenticate`, for a request that is being answered already: not counted as a use of the token. */
  readonly recognise: Authenticate
  /** Reports changed credentials until the returned function is called. */
  readonly onCredentials: (listener: () => void) => () => void
  /** Reads the body of a request whose caller may make it. */
  readonly readBody: ReadBody
  readonly streams: StreamLimit
  /** For the ends of terminals, which come long after their answers. */
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
    // Signing in is not "made with" the old cookie, and programs that sign in send no origin; a page elsewhere always
    // does.
    const headers = originHeaders(ctx)
    if (served.id !== 'auth.login') checkOrigin(caller, headers, edge.dashboardUrl())
    else if (headers.origin !== '') checkHost(headers, edge.dashboardUrl())
  }
  await edge.readBody(ctx, caller)
  const fields = served.readFields(ctx, caller)
  authorizeFields(operation, caller, fields)
  const params = paramsOf(served, fields, pathParams)
  audit(ctx, { operation: served.id, caller, params })
  await run(edge, served, ctx, caller, params)
}

/** The parameters of an operation. Throws Problem for fields that are missing or refused. */
export function paramsOf(
  { id, route }: Pick<Served, 'id' | 'route'>,
  fields: Fields,
  pathParams: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const all = new Map(fields)
  for (const [name, value] of Object.entries(pathParams)) all.set(name, [value])
  requireFields(route, all)
  return decode(operations[id].params as Operation['params'], all)
}

async function run(edge: Edge, { id, route }: Served, ctx: Context, caller: Caller, params: unknown): Promise<void> {
  const operation: Operation = operations[id]
  if (operation.terminal === true) checkHandshake(ctx)
  if (operation.terminal === true) edge.streams.admit(id, caller, ctx.req.socket)
  if (operation.stream === true) edge.streams.admit(id, caller, ctx.res)
  const signal = goneSignal(ctx, edge.stopping)
  // `*` asks for any version, which is what no header asks for.
  const ifMatch = ctx.get('if-match').replace(/^\*$/, '').replace(/^W\//, '').replaceAll('"', '')
  const call = {
    params,
    caller,
    requestId: String(ctx.state['requestId']),
    get signal() {
      return signal()
    },
    respond: respondTo(ctx, edge),
    // Few handlers ask.
    get origin() {
      return originOf(ctx, edge)
    },
    ...(ifMatch === '' ? {} : { ifMatch }),
  }
  // Params were decoded with the schema of this very id: the pairing that the types of a table cannot follow.
  const handler = edge.handlers[id] as Handler<OperationId>
  const view = await handler(call as Call<OperationId>)
  const allowed = () => isStillAllowed(edge, operation, route.projectToken === true, ctx)
  // The view of a terminal is the end that the copy has.
  if (operation.terminal === true) return joinTerminal(edge, ctx, view as FrameStream, allowed)
  if (operation.stream === true) {
    return answerEvents(ctx, view as AsyncIterable<never>, {
      signal: call.signal,
      allowed,
      onCredentials: edge.onCredentials,
    }) // the view of a stream
  }
  ctx.status = operation.status ?? 200
  ctx.type = jsonType
  // Made into text here, once: the length of an object's answer would make it a second time.
  ctx.body = jsonOf(view)
  const etag = etagOf(view)
  if (etag !== undefined) ctx.set('ETag', etag)
}

/** The caller's WebSocket becomes the other end of the terminal; a caller who went away meanwhile has none. */
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
 * Made on first use: most handlers never ask, and an abort at the end of each answer costs more than a small answer.
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
 * The credentials that count. Those that fail do not matter to a public operation: a stale token may sign in again.
 * @param headers empty where there is none
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
 * Whether who began a stream may go on listening. When the cluster cannot say, nothing is known to
 * have changed.
 */
async function isStillAllowed(edge: Edge, operation: Operation, projectToken: boolean, ctx: Context): Promise<boolean> {
  try {
    authorize(operation, projectToken, await callerOf(edge, edge.recognise, operation, ctx))
    return true
  } catch (error) {
    // A token that may not be looked for now is not vouched for: its owner may begin the stream again.
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

const originHeaders = (ctx: Context) => ({ origin: ctx.get('origin'), referer: ctx.get('referer'), host: ctx.host })
