/** Addresses of a service: how one is written, and when two are the same (Client programs). */

/**
 * The address without trailing slashes, query and fragment; host in lower case, default port left out.
 * @throws Error with a sentence when the text is no http(s) address, or carries a user name or password.
 */
export function normalizeAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Error(`"${text}" is not an address such as https://svc.example.com`)
  }
  // The text is not repeated here: it holds a password.
  if (url.username !== '' || url.password !== '') throw new Error('an address must not carry a user name or password')
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`
}

/** "Addresses equal when scheme, host, port and path match; default ports and trailing slash ignored." */
export function sameAddress(one: string, other: string): boolean {
  return normalizeAddress(one) === normalizeAddress(other)
}
