/** Turns the API server's answer to a failed call into a ClusterError that is safe to log. */
import { type Cause, ClusterError } from '../objects/errors.ts'

interface Status {
  code?: number
  reason?: string
  message?: string
  details?: { retryAfterSeconds?: number; causes?: Partial<Cause>[] }
}

export interface FailedCall {
  method: string
  path: string
  /** Plural of the type: messages about Secrets are not repeated word for word. */
  resource: string
}

/** Statuses whose messages have names and versions of objects, never a field's value. */
const quoteFree = new Set([401, 403, 404, 409, 410, 429])

/** From an HTTP answer; `retryAfter` is the header's text. */
export function errorFromAnswer(call: FailedCall, httpStatus: number, body: string, retryAfter?: string): ClusterError {
  const status = parseStatus(body)
  const seconds = status?.details?.retryAfterSeconds ?? Number(retryAfter ?? Number.NaN)
  const retry = Number.isFinite(seconds) && seconds >= 0 ? { retryAfterSeconds: seconds } : {}
  return new ClusterError(httpStatus, reasonOf(httpStatus, status), messageOf(call, httpStatus, status), {
    ...retry,
    causes: causesOf(call, status),
  })
}

/** From the ERROR event of a watch, whose object is a Status. */
export function errorFromEvent(call: FailedCall, object: unknown): ClusterError {
  const status = asStatus(object)
  const code = status?.code ?? 500
  return new ClusterError(code, reasonOf(code, status), messageOf(call, code, status))
}

function reasonOf(httpStatus: number, status: Status | undefined): string {
  return status?.reason || `HTTP ${httpStatus}`
}

/** Validation errors quote the offending value, so for a Secret the message has only the names of the fields. */
function messageOf(call: FailedCall, httpStatus: number, status: Status | undefined): string {
  const plain = `${call.method} ${call.path}: ${reasonOf(httpStatus, status)}`
  if (call.resource === 'secrets' && !quoteFree.has(httpStatus)) {
    const fields = (status?.details?.causes ?? []).flatMap((cause) => cause.field ?? [])
    return fields.length === 0 ? plain : `${plain} (${fields.join(', ')})`
  }
  return status?.message || plain
}

/** Empty for a Secret, since causes quote its values. */
function causesOf(call: FailedCall, status: Status | undefined): Cause[] {
  if (call.resource === 'secrets') return []
  return (status?.details?.causes ?? []).map(({ field = '', reason = '', message = '' }) => ({
    field,
    reason,
    message,
  }))
}

function parseStatus(body: string): Status | undefined {
  try {
    return asStatus(JSON.parse(body))
  } catch {
    // A proxy or a stopping API server may answer with plain text or nothing.
    return undefined
  }
}

function asStatus(value: unknown): Status | undefined {
  const isStatus = typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status'
  // Every field of Status is optional, so the cast claims nothing.
  return isStatus ? (value as Status) : undefined
}
