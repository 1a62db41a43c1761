/** The session cookie of a request. Its name is known to every service on a neighbouring host, which may set one for the whole domain. */
import { refuse } from '../../../contract/problem.ts'
import { sessionCookieName } from '../../../records/auth/session-cookie.ts'

const prefix = `${sessionCookieName}=`

/** Undefined without one. Throws Problem for two that differ: which of them is the dashboard's own cannot be told. */
export function sessionCookieOf(header: string): string | undefined {
  if (!header.includes(prefix)) return undefined
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length))
  if (new Set(values).size > 1) throw refuse('two different svc_session cookies were sent; delete the cookies of this site and its domain, and sign in again')
  return values[0]
}
