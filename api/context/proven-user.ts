/** Verifies a password, within the limits on attempts. */
import { Problem, refusals } from '../../contract/problem.ts'
import type { User } from '../../records/auth/users.ts'
import type { Origin } from './handler.ts'
import type { SignIn } from './needs.ts'

export interface Proof {
  readonly username: string
  readonly password: string
  readonly origin: Pick<Origin, 'address' | 'deviceCookie'>
}

/**
 * Undefined for a wrong password and for a locked username alike. Throws Problem rate_limited after too many attempts.
 */
export async function provenUser(signIn: SignIn, { username, password, origin }: Proof): Promise<User | undefined> {
  const { address, deviceCookie } = origin
  const device = deviceCookie === undefined ? undefined : await signIn.knownDevices.recognise(deviceCookie, username)
  const attempt = { username, address, device }
  // Counted against no user, since no password was tried.
  if (device === undefined && signIn.passwords.busy) throw new Problem('rate_limited', refusals.tooManySignIns)
  if ((await signIn.lockout.admit(attempt)) === 'locked') return undefined
  const user = await signIn.users.verify(username, password, device !== undefined)
  if (user !== undefined) await signIn.lockout.succeeded(attempt)
  return user
}
