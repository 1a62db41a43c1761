/** The input and output of a handler; independent of HTTP. */
import type { Caller } from '../../contract/caller.ts'
import type { OperationId, Params, View } from '../../contract/operations.ts'

/** What a handler may add to its answer. */
export interface Respond {
  setCookie(name: string, value: string, options: CookieOptions): void
  header(name: string, value: string): void
  /** Adds to the audit line what the parameters of the request do not show reliably. */
  audit(resource: Readonly<Record<string, string>>): void
}

export interface CookieOptions {
  readonly maxAgeSeconds: number
}

/** Where the request came from. */
export interface Origin {
  /** The address that counts for sign-in lockouts, see `SVC_TRUSTED_PROXIES`. */
  readonly address: string
  /** The device cookie of a browser that signed in before, unverified. */
  readonly deviceCookie: string | undefined
  /** The peer address of the connection, whatever headers it sent. */
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
  /** The resourceVersion that the caller requires (`If-Match`), without quotes. */
  readonly ifMatch?: string
}

/** Answers with the view, or throws a `Problem`; anything else thrown is a 500 whose message stays in the log. */
export type Handler<Id extends OperationId> = (call: Call<Id>) => Promise<View<Id>>

/** One handler for each operation. */
export type HandlerTable<Id extends OperationId> = { readonly [Each in Id]: Handler<Each> }
