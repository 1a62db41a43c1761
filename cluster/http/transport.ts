/** Sends one request to the API server: credentials, time limit, the few retries that are always safe, and errors. */
import type { Dispatcher } from 'undici'
import { pause } from '../objects/backoff.ts'
import type { FrameStream } from '../../contract/views/terminal-frames.ts'
import { startLimit, type Limit } from './call-limit.ts'
import type { ClusterClock } from './clock.ts'
import type { Access, Credentials } from './credentials.ts'
import { ClusterError } from '../objects/errors.ts'
import { withQuery, type Query } from '../objects/paths.ts'
import { errorFromAnswer } from './status-error.ts'
import { framesOf, openSocket } from './socket.ts'

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: Query | undefined
  /** Sent as JSON. */
  body?: unknown
  contentType?: string
  accept?: string | undefined
  /** For the metrics: `list`, `patch`; `pods`. */
  verb: string
  resource: string
  signal?: AbortSignal | undefined
  /** Limits the time until the whole answer has arrived; for a stream, until its head has. */
  timeoutMs?: number | undefined
}

/** Called when a request ends, for a stream when it begins; `status` is 0 when there was no answer. */
export type OnRequest = (verb: string, resource: string, status: number, ms: number) => void

export interface Transport {
  /** The text of a 2xx answer. */
  send(call: Call): Promise<string>
  /**
   * The bytes of a 2xx answer as they arrive; ends with ClusterError `Silent` after `silenceMs` without a byte (0:
   * never).
   */
  open(call: Call, silenceMs: number): Promise<AsyncIterable<Uint8Array>>
  /** A WebSocket of one subprotocol; the time limit applies until it is open. */
  upgrade(call: Call, protocol: string): Promise<FrameStream>
}

/** The API server sends 429 before it does any work, so the same request may be sent again. */
const triesWhenBusy = 4

/** @param clock receives the Date header of every answer */
export function createTransport(
  credentials: Credentials,
  clock: Pick<ClusterClock, 'saw'>,
  onRequest: OnRequest = () => undefined,
): Transport {
  async function observed<R>(call: Call, run: (limit: Limit) => Promise<R>): Promise<R> {
    const began = performance.now()
    const limit = startLimit(call)
    let status = 0
    try {
      const result = await run(limit)
      status = 200
      return result
    } catch (error) {
      if (error instanceof ClusterError) status = error.status
      limit.release()
      throw limit.explain(error)
    } finally {
      limit.stopTimer()
      onRequest(call.verb, call.resource, status, performance.now() - began)
    }
  }

  return {
    send: (call) =>
      observed(call, async (limit) => {
        const text = await withRetries(credentials, call, limit.signal, async (access) => {
          const answer = await request(access.calls, access, call, limit.signal, 0, clock)
          return answer.body.text()
        })
        limit.release()
        return text
      }),

    open: (call, silenceMs) =>
      observed(call, async (limit) => {
        const attempt = (access: Access) => request(access.streams, access, call, limit.signal, silenceMs, clock)
        const answer = await withRetries(credentials, call, limit.signal, attempt)
        // An abort before anything reads the body must not become an unhandled 'error' event, which would end the
        // process.
        answer.body.on('error', () => undefined)
        return chunksOf(answer, limit)
      }),

    upgrade: (call, protocol) =>
      observed(call, async (limit) => {
        const attempt = (access: Access) => openSocket(access, call, protocol, limit.signal)
        const socket = await withRetries(credentials, call, limit.signal, attempt)
        limit.release()
        return framesOf(socket)
      }),
  }
}

/** One request; a refusal is thrown as ClusterError. */
async function request(
  dispatcher: Dispatcher,
  access: Access,
  call: Call,
  signal: AbortSignal,
  silenceMs: number,
  clock: Pick<ClusterClock, 'saw'>,
) {
  const askedAt = Date.now()
  const answer = await dispatcher.request({
    origin: access.origin,
    path: access.prefix + withQuery(call.path, call.query),
    method: call.method,
    headers: {
      accept: call.accept ?? 'application/json',
      'user-agent': 'svc',
      ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
      ...access.headers,
    },
    body: call.body === undefined ? null : JSON.stringify(call.body),
    signal,
    headersTimeout: 0,
    bodyTimeout: silenceMs,
  })
  clock.saw(answer.headers['date'], askedAt, Date.now())
  if (answer.statusCode < 300) return answer
  const retryAfter = answer.headers['retry-after']
  throw errorFromAnswer(
    call,
    answer.statusCode,
    await answer.body.text(),
    typeof retryAfter === 'string' ? retryAfter : undefined,
  )
}

/**
 * Repeats only requests that the API server did not carry out for certain: a 401 with old credentials, a 429, a read on
 * a broken socket.
 */
async function withRetries<R>(
  credentials: Credentials,
  call: Call,
  signal: AbortSignal,
  attempt: (access: Access) => Promise<R>,
): Promise<R> {
  let renewed = false
  let broken = false
  for (let tries = 1; ; tries += 1) {
    const access = await credentials.access()
    try {
      return await attempt(access)
    } catch (error) {
      if (signal.aborted) throw error
      if (!(error instanceof ClusterError)) {
        // The API server may have moved or have a new certificate: the next request reads the configuration again.
        credentials.renew(access)
        if (call.method !== 'GET' || broken || !isBrokenSocket(error)) throw error
        broken = true
      } else if (error.status === 401 && !renewed) {
        credentials.renew(access)
        renewed = true
      } else if (error.status === 429 && tries < triesWhenBusy) {
        await pause((error.retryAfterSeconds ?? 1) * 1000 * (1 + Math.random() / 4), signal)
        if (signal.aborted) throw error
      } else {
        throw error
      }
    }
  }
}

async function* chunksOf(answer: Dispatcher.ResponseData, limit: Limit): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of answer.body) yield chunk
  } catch (error) {
    throw limit.explain(error)
  } finally {
    limit.release()
    answer.body.destroy()
  }
}

/** The API server closed a kept connection while the request was being written to it. */
function isBrokenSocket(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(String(error.code))
  )
}
