/** One log line per request, and one audit line per write: the caller, the operation, the resource and the result. */
import { randomUUID } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import type { Logger } from '../../../cluster/objects/log.ts'
import { actorOf, type Caller } from '../../../contract/caller.ts'
import { isWrite, pathParams } from '../../../contract/operation.ts'
import { operationOf, type OperationId } from '../../../contract/operations.ts'

/** The facts that later layers record for the audit line. */
export interface Audited {
  readonly operation: OperationId
  readonly caller: Caller
  readonly params?: Readonly<Record<string, unknown>>
  /** What the handler added by `Respond.audit`, and what it made. */
  readonly found?: Readonly<Record<string, unknown>>
}

const requestIdPattern = /^[\w.-]{8,64}$/
/** Fields that identify the resource of a write; none of them can hold a secret. */
const loggedFields = [
  'project',
  'id',
  'environment',
  'name',
  'key',
  'revision',
  'replicas',
  'role',
  'scope',
  'username',
]
/** Fields of an answer that name what was made. */
const madeFields = ['project', 'name', 'id', 'archive']

export const requestIdHeader = 'X-Request-Id'

/** The caller's own request id when it is well-formed, else a new one. */
export const requestIdOf = (given: string): string => (requestIdPattern.test(given) ? given : randomUUID())

/** The logged facts of an answered request. */
export interface AnsweredRequest {
  readonly requestId: string
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly status: number
  readonly ms: number
}

export function logRequest(log: Logger, { requestId, method, path, status, ms }: AnsweredRequest): void {
  log.info({ requestId, method, path, status, ms }, 'request')
}

/** Gives each request its id; logs it, never a body. */
export function createRequestLog(log: Logger, clock: () => number): Middleware {
  return async (ctx, next) => {
    const requestId = requestIdOf(ctx.get(requestIdHeader))
    ctx.state['requestId'] = requestId
    ctx.set(requestIdHeader, requestId)
    const startedAt = clock()
    try {
      await next()
    } finally {
      const { method, path, status } = ctx
      logRequest(log, { requestId, method, path, status, ms: clock() - startedAt })
      writeAudit(log, ctx)
    }
  }
}

function writeAudit(log: Logger, ctx: Context, more: object = {}): void {
  const line = auditLine(ctx)
  if (line !== undefined)
    log.info({ audit: true, requestId: String(ctx.state['requestId']), ...line, ...more }, 'audit')
}

/**
 * A second audit line, for a request whose answer goes on after the first: the end of a terminal.
 * @param end how it ended, never what was sent or received
 */
export function auditEnd(log: Logger, ctx: Context, end: { readonly since: string; readonly ended: string }): void {
  writeAudit(log, ctx, end)
}

/** Records operation and caller on the context; the audit line is written once the status is known. */
export function audit(ctx: Context, audited: Audited): void {
  ctx.state['audited'] = audited
}

/** Adds to the audit line what the handler found. */
export function auditAlso(ctx: Context, more: Readonly<Record<string, unknown>>): void {
  const audited = ctx.state['audited'] as Audited // set by audit() before any handler is asked
  ctx.state['audited'] = { ...audited, found: { ...audited.found, ...more } }
}

/** Adds to the audit line the names in the answer of a write that its request does not have: those svc has chosen. */
export function auditMade(ctx: Context, view: object): void {
  const { params = {} } = ctx.state['audited'] as Audited // set by audit() before any handler is asked
  const answer: Readonly<Record<string, unknown>> = { ...view, ...('item' in view ? (view.item as object) : {}) }
  const chosen = madeFields.filter((field) => isName(answer[field]) && !isName(params[field]))
  auditAlso(ctx, Object.fromEntries(chosen.map((field) => [field, answer[field]])))
}

/** The authenticated caller of a request; undefined before it is known. */
export function callerOn(ctx: Context): Caller | undefined {
  return (ctx.state['audited'] as Audited | undefined)?.caller // set by audit() alone
}

function auditLine(ctx: Context): object | undefined {
  const audited = ctx.state['audited'] as Audited | undefined // set by audit() alone
  if (audited === undefined || !isWrite(operationOf(audited.operation))) return undefined
  const { operation, caller, params, found } = audited
  const result = ctx.status < 400 ? 'done' : 'refused'
  return {
    actor: actorOf(caller),
    operation,
    resource: { ...resourceOf(operation, params ?? {}), ...found },
    result,
    status: ctx.status,
  }
}

function resourceOf(id: OperationId, params: Readonly<Record<string, unknown>>): object {
  // People type passwords into the field for the name: the handler itself logs only names of existing users.
  if (id === 'auth.login') return {}
  const { v1, dashboard } = operationOf(id)
  const names = new Set([...pathParams(v1?.path ?? ''), ...pathParams(dashboard?.path ?? ''), ...loggedFields])
  return Object.fromEntries([...names].filter((name) => isPlain(params[name])).map((name) => [name, params[name]]))
}

const isPlain = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number'
const isName = (value: unknown): boolean => isPlain(value) && value !== ''
