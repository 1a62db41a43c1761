/** What a handler is given and what it answers; it knows nothing of HTTP. */
import type { Caller } from '../../contract/caller.ts'
import type { OperationId, Params, View } from '../../contract/operations.ts'

/** The few things a handler may say beside its answer. */
export interface Respond {
  setCookie(name: string, value: string, options: CookieOptions): void
  header(name: string, value: string): void
  /** Says in the audit line what the request itself may not be believed about. */
  audit(resource: Readonly<Record<string, string>>): void
}

export interface CookieOptions {
  readonly maxAgeSeconds: number
}

/** Where the request came from, as far as a handler may care. */
export interface Origin {
  /** The address that counts for sign-in lockouts, see `SVC_TRUSTED_PROXIES`. */
  readonly address: string
  /** The cookie of a browser that signed in before, as it was sent. */
  readonly deviceCookie: string | undefined
  /** The peer of the connection, whatever it says about others. */
  readonly peer: string
  /** Scheme and host the caller used, for links: `http://localhost:8085`. */
  readonly baseUrl: string
}

export interface Call<Id extends OperationId> {
  readonly params: Params<Id>
  readonly caller: Caller
  readonly requestId: string
  /** Fires when the caller goes away or the server stops. */
  readonly signal: AbortSignal
  readonly respond: Respond
  readonly origin: Origin
  /** The resourceVersion a write insists on (`If-Match`), without quotes. */
  readonly ifMatch?: string
}

/** Answers with the view, or throws a `Problem`; anything else thrown is a 500 whose message stays in the log. */
export type Handler<Id extends OperationId> = (call: Call<Id>) => Promise<View<Id>>

/** One handler for each operation. */
export type HandlerTable<Id extends OperationId> = { readonly [Each in Id]: Handler<Each> }
