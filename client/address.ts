/** Addresses of a service: how one is written, and when two are the same (docs/reference/command-line.md#addresses). */

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

/**
 * Whether scheme, host, port and path are the same, whatever the default port and a slash at the end
 * (docs/reference/command-line.md#addresses).
 */
export function sameAddress(one: string, other: string): boolean {
  return normalizeAddress(one) === normalizeAddress(other)
}
