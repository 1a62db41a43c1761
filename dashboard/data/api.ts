/** Calls to the api by the id of their operation; the session cookie goes along by itself. */
import { ApiError, apiErrorOf } from '../../client/api-error.ts'
import { paramsToJson } from '../../contract/json/fields.ts'
import type { OperationId, ParamsInput, View } from '../../contract/operations.ts'
import { refusals } from '../../contract/problem.ts'
import routes from './routes.json'
import { defined } from '../../contract/defined.ts'

/** Where the dashboard is served: `/`, or the path prefix of a proxy, with a slash at its end. */
export const rootPath: string = new URL(
  document.querySelector<HTMLMetaElement>('meta[name="svc-root"]')?.content ?? './',
  location.href,
).pathname

/** The api gave no answer: it is away, or the network is. */
export class UnreachableError extends Error {}

export type Callable = OperationId

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** The version of the record that an edit began with: refused when another one is there by now. */
  readonly ifMatch?: string | undefined
}

/** Received by the sign-in dialog: a read or write was refused because the session is over. */
type Listener = () => void
const sessionListeners = new Set<Listener>()
export function onSessionLost(listener: Listener): () => void {
  sessionListeners.add(listener)
  return () => sessionListeners.delete(listener)
}

/** @throws ApiError when the api refuses, UnreachableError when it does not answer. */
export async function call<Id extends Callable>(
  id: Id,
  params: ParamsInput<Id>,
  options: CallOptions = {},
): Promise<View<Id>> {
  return (await callForVersion(id, params, options)).view
}

/** What a read answered, and the version of the record that it is of, where it is of one. */
export interface Answer<Id extends Callable> {
  readonly view: View<Id>
  readonly version: string | undefined
}

/** @throws as `call` */
export async function callForVersion<Id extends Callable>(
  id: Id,
  params: ParamsInput<Id>,
  options: CallOptions = {},
): Promise<Answer<Id>> {
  const response = await send(id, params, options)
  const text = await response.text()
  if (!response.ok) throw refusal(response.status, text)
  // A proxy that compresses makes a weak tag of it.
  const version = response.headers.get('etag')?.replace(/^W\//, '').replaceAll('"', '')
  return { view: JSON.parse(text) as View<Id>, version } // what the contract says of this operation
}

/** The body of a streaming operation, once it has begun. @throws as `call` */
export async function openStream<Id extends Callable>(
  id: Id,
  params: ParamsInput<Id>,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const response = await send(id, params, { signal })
  if (!response.ok || response.body === null) throw refusal(response.status, await response.text())
  return response.body
}

function refusal(status: number, text: string): ApiError {
  if (status === 401) for (const listener of sessionListeners) listener()
  return apiErrorOf(status, text)
}

/** Where an operation is that becomes a WebSocket; the browser sends the session cookie along. */
export function socketAddress<Id extends Callable>(id: Id, params: ParamsInput<Id>): URL {
  const { path, fields } = targetOf(id, { ...params })
  return new URL(`${rootPath}api/${path}${queryOf(fields)}`, location.origin.replace(/^http/, 'ws'))
}

interface Target {
  readonly method: string
  /** Below `api/`. */
  readonly path: string
  /** What is not in the path. */
  readonly fields: Readonly<Record<string, unknown>>
}

function targetOf(id: Callable, params: object): Target {
  const [method = 'GET', template = ''] = routes[id]
  const rest: Record<string, unknown> = { ...params }
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest[name])
    delete rest[name]
    return encodeURIComponent(value)
  })
  return { method, path, fields: paramsToJson(rest) }
}

async function send(id: Callable, params: object, { signal, ifMatch }: CallOptions): Promise<Response> {
  const { method, path, fields } = targetOf(id, params)
  const inQuery = method === 'GET' || method === 'DELETE'
  const query = inQuery ? queryOf(fields) : ''
  try {
    return await fetch(`${rootPath}api/${path}${query}`, {
      method,
      credentials: 'same-origin',
      headers: {
        ...(ifMatch === undefined ? {} : { 'if-match': `"${ifMatch}"` }),
        ...(inQuery ? {} : { 'content-type': 'application/json' }),
      },
      ...(inQuery ? {} : { body: JSON.stringify(fields) }),
      ...defined({ signal }),
    })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new UnreachableError('svc does not answer', { cause: error })
  }
}

function queryOf(fields: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each === true ? 'on' : String(each)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

/** The one operation that takes a form: a password never goes the way of the versioned API. */
export async function signIn(username: string, password: string): Promise<View<'auth.login'>> {
  const response = await fetch(`${rootPath}api/login`, {
    method: 'POST',
    credentials: 'same-origin',
    body: new URLSearchParams({ username, password }),
  }).catch((error: unknown) => {
    throw new UnreachableError('svc does not answer', { cause: error })
  })
  const text = await response.text()
  if (!response.ok) throw apiErrorOf(response.status, text)
  return JSON.parse(text) as View<'auth.login'> // what the contract says of it
}

/** The sentence of a failure, as a person reads it. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError || error instanceof UnreachableError) return error.message
  return error instanceof Error ? error.message : String(error)
}

/** Refused because the record has another version by now than the page showed. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof ApiError && error.message === refusals.changedMeanwhile

export const statusOf = (error: unknown): number | undefined => (error instanceof ApiError ? error.status : undefined)
