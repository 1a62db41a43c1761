/** A typed HTTP client of `/api/v1`, made from the contract: every operation can be called by its id. */
import { clientAnswerMs } from '../contract/process-limits.ts'
import type { ServerEvent } from '../contract/operation.ts'
import { operationOf, type OperationId, type ParamsInput, type View } from '../contract/operations.ts'
import { normalizeAddress } from './address.ts'
import { UnreachableError, apiErrorOf, unreachable } from './api-error.ts'
import { type ApiRequest, requestOf } from './request.ts'
import { readServerEvents } from './server-events.ts'
import { defined } from '../contract/defined.ts'

export interface ClientOptions {
  /** The address of the service, without `/api/v1`. */
  baseUrl: string
  /** Sent as a Bearer token; never part of an error or a URL. */
  token?: string
  /** The cookie of a signed-in user instead, for what tokens may not do. */
  session?: string
  userAgent: string
  fetch?: typeof globalThis.fetch
  /** How long an answer may take; of a stream, how long its beginning may take. */
  timeoutMs?: number
}

export interface CallOptions {
  signal?: AbortSignal
}

export interface RawRequest {
  method: string
  /** Relative to `/api/v1`. */
  path: string
  query?: URLSearchParams
  /** Sent as it is, as JSON. */
  body?: string
}

export interface Client {
  readonly baseUrl: string
  /**
   * Performs an operation; a streaming one answers with its events once the stream has begun.
   * @throws ApiError when the service refuses, UnreachableError when it does not answer.
   */
  call<Id extends OperationId>(id: Id, params: ParamsInput<Id>, options?: CallOptions): Promise<View<Id>>
  /** Any request, any answer, errors of the service included. @throws UnreachableError */
  request(request: RawRequest, options?: CallOptions): Promise<Response>
}

export function createClient(options: ClientOptions): Client {
  const baseUrl = normalizeAddress(options.baseUrl)
  const exchange = createExchange({ ...options, baseUrl })
  return {
    baseUrl,
    // The contract says what the service answers; the api's own checks hold it to that.
    call: async (id, params, { signal } = {}) => (await call(exchange, id, params, signal)) as View<typeof id>,
    request: async (request, { signal } = {}) =>
      await exchange(request, signal, async (response, endLimit) => {
        endLimit()
        return response
      }),
  }
}

/** Sends a request and reads its answer within the time limit, which a stream ends once it has begun. */
type Exchange = <Answer>(
  request: RawRequest,
  signal: AbortSignal | undefined,
  read: (response: Response, endLimit: () => void) => Promise<Answer>,
) => Promise<Answer>

async function call(
  exchange: Exchange,
  id: OperationId,
  params: object,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  return await exchange(rawOf(requestOf(id, { ...params })), signal, async (response, endLimit) => {
    if (!response.ok) throw apiErrorOf(response.status, await response.text())
    if (operationOf(id).stream !== true) return jsonOf(await response.text())
    endLimit()
    return eventsOf(response)
  })
}

/** A stream that is cut off ends with an UnreachableError, one that the caller aborts with an AbortError. */
async function* eventsOf({ body }: Response): AsyncGenerator<ServerEvent> {
  try {
    if (body !== null) yield* readServerEvents(body)
  } catch (error) {
    throw isAbort(error) ? error : new UnreachableError('the stream was cut off', error)
  }
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'

function rawOf({ body, ...request }: ApiRequest): RawRequest {
  return body === undefined ? request : { ...request, body: JSON.stringify(body) }
}

function createExchange(options: ClientOptions): Exchange {
  const { baseUrl, fetch = globalThis.fetch, timeoutMs = clientAnswerMs } = options
  return async ({ method, path, query, body }, signal, read) => {
    const search = query === undefined || query.size === 0 ? '' : `?${query.toString()}`
    const limit = timeLimit(timeoutMs)
    try {
      const response = await fetch(`${baseUrl}/api/v1${path}${search}`, {
        method,
        headers: headersOf(options, body !== undefined),
        ...defined({ body }),
        // Followed by hand, that is by the user: a token goes to its own address only.
        redirect: 'manual',
        signal: signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]),
      })
      refuseRedirect(baseUrl, response)
      return await read(response, limit.end)
    } catch (error) {
      throw unreachable(baseUrl, error)
    } finally {
      limit.end()
    }
  }
}

function headersOf({ baseUrl, token, session, userAgent }: ClientOptions, hasBody: boolean): Record<string, string> {
  return {
    accept: 'application/json, text/event-stream',
    'user-agent': userAgent,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    // A write by session must come from the dashboard's own host.
    ...(session === undefined ? {} : { cookie: session, origin: new URL(baseUrl).origin }),
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
  }
}

function refuseRedirect(baseUrl: string, { status, headers }: Response): void {
  const location = headers.get('location')
  if (status < 300 || status >= 400 || location === null) return
  throw new UnreachableError(`${baseUrl} redirects to ${location}; use that address instead`)
}

/** `AbortSignal.timeout` cannot be called off, and would end a stream in its middle. */
function timeLimit(ms: number): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new DOMException('no answer in time', 'TimeoutError')), ms)
  return { signal: controller.signal, end: () => clearTimeout(timer) }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UnreachableError('the answer is not JSON; is this the address of svc?', error)
  }
}
