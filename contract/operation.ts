/** The mould of an operation: one entry of data from which routers, checks, types, OpenAPI and the client are made. */
import { z } from 'zod'
import type { FrameStream } from './views/terminal-frames.ts'

/**
 * Who may call (docs/reference/access.md#kinds-of-callers). Project tokens are outside this ladder: each surface says
 * with `projectToken` whether they may come in. `anyToken`: API tokens only; `projectTokenOnly`: project tokens only;
 * `adminSession`: a signed-in admin, never a token.
 */
export type Access = 'public' | 'viewer' | 'observer' | 'admin' | 'adminSession' | 'anyToken' | 'projectTokenOnly'

export type Tag = 'General' | 'Sign-in and tokens' | 'Projects' | 'Services' | 'Databases' | 'Cluster'

/** Fields that this surface alone insists on, with the sentence for their absence. */
export type RequiredFields = Readonly<Record<string, string>>

export interface V1Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Relative to `/api/v1`; `{app}` binds the parameter `app`, whatever OpenAPI calls it. */
  readonly path: string
  readonly projectToken?: boolean
  readonly required?: RequiredFields
}

export interface DashboardRoute {
  readonly method: 'GET' | 'POST'
  /** The whole path, beginning with `/api/`. */
  readonly path: string
  readonly projectToken?: boolean
  readonly required?: RequiredFields
}

export interface Operation<Params extends z.ZodObject = z.ZodObject, View extends z.ZodType = z.ZodType> {
  readonly summary: string
  readonly tag: Tag
  readonly access: Access
  readonly v1?: V1Route
  readonly dashboard?: DashboardRoute
  /** Also served on `/api/v1` by forwarding unless false (only password sign-in is kept off it). */
  readonly forwarded?: false
  /** Status of a success; 200 when left out. */
  readonly status?: 201
  /** The answer is a stream of server-sent events; the view is an AsyncIterable of `ServerEvent`. */
  readonly stream?: true
  /** A `GET` that becomes a WebSocket; the view is the end that the copy has (docs/reference/terminals.md). */
  readonly terminal?: true
  /** `POST` that changes nothing of the platform's: no audit line. */
  readonly readOnly?: true
  readonly params: Params
  readonly view: View
}

/** Keeps the exact types of params and view while checking the shape. */
export function operation<Params extends z.ZodObject, View extends z.ZodType>(
  data: Operation<Params, View>,
): Operation<Params, View> {
  return data
}

/** One message of a server-sent event stream; `data` is sent as JSON. */
export interface ServerEvent {
  readonly event?: string
  readonly id?: string
  readonly data?: unknown
  /** The same object goes to many listeners: its text is made once. */
  readonly shared?: true
}

/** Whether what a handler answers has these members: a class instance has no schema of its own. */
const hasAll = (view: unknown, members: readonly PropertyKey[]): boolean =>
  typeof view === 'object' && view !== null && members.every((member) => member in view)

/** The view of a streaming operation. */
export const serverEvents = z.custom<AsyncIterable<ServerEvent>>((view) => hasAll(view, [Symbol.asyncIterator]))

/** The view of an operation that opens a terminal: the end that the copy has. */
export const terminalView = z.custom<FrameStream>((view) => hasAll(view, ['onMessage', 'onClose', 'send', 'close']))

/** One message of a stream as a client reads it off the wire, where `data` is the JSON text of the event. */
export const serverEventView = z
  .object({ event: z.string().optional(), id: z.string().optional(), data: z.string() })
  .meta({ id: 'ServerEvent', description: 'One server-sent event; its data is a JSON object as text.' })

/** No parameters at all. */
export const noParams = z.object({})

/** `{ok: true}`, what a write answers unless its row says otherwise. */
export const okView = z.object({ ok: z.literal(true) })

/** Names of the parameters in a path template, in order. */
export const pathParams = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')

/** Whether calling it may change something; in a terminal anything may be typed. */
export const isWrite = (it: Operation): boolean =>
  it.terminal === true || (it.readOnly !== true && (it.v1?.method ?? it.dashboard?.method) !== 'GET')
