/** A write with a session cookie must come from the dashboard's own pages (docs/reference/access.md#sessions). */
import type { Caller } from '../../../contract/caller.ts'
import { refusals, refuse } from '../../../contract/problem.ts'

export interface OriginHeaders {
  readonly origin: string
  readonly referer: string
  readonly host: string
  /** `Sec-Fetch-Site`: what the browser itself says of the page that the request is from; empty for other callers. */
  readonly site: string
}

/**
 * Throws unless Origin, or else Referer, has one of the dashboard's hosts. Requests with a Bearer token are not
 * checked: a browser does not attach that by itself.
 * @param dashboardUrl the configured address, for a proxy that rewrites Host
 */
export function checkOrigin(caller: Caller, headers: OriginHeaders, dashboardUrl?: string): void {
  if (caller.kind === 'session') checkHost(headers, dashboardUrl)
}

/** Of a page with another origin. Who may write records can name its address as that of the dashboard. */
const otherPages: readonly string[] = ['same-site', 'cross-site']

/** As `checkOrigin`, for every caller. */
export function checkHost(headers: OriginHeaders, dashboardUrl?: string): void {
  if (otherPages.includes(headers.site)) throw refuse(refusals.origin)
  const from = hostOf(headers.origin === '' ? headers.referer : headers.origin)
  const ours = [headers.host.toLowerCase(), hostOf(dashboardUrl ?? '')]
  if (from === undefined || !ours.includes(from)) throw refuse(refusals.origin)
}

/** Host with port as a browser writes it; undefined for `null`, an empty text or nonsense. */
function hostOf(address: string): string | undefined {
  return URL.parse(address)?.host.toLowerCase()
}
