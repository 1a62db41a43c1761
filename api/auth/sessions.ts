/** Sign-in with a password, sign-out, and the current session. */
import { knownDeviceSeconds, sessionSeconds } from '../../contract/limits.ts'
import { refuse } from '../../contract/problem.ts'
import { deviceCookieName } from '../../records/auth/device-cookie.ts'
import { sessionCookieName } from '../../records/auth/session-cookie.ts'
import type { User } from '../../records/auth/users.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { provenUser } from '../context/proven-user.ts'

/** A locked name answers like a wrong password, so that a lock shows nothing. */
const wrong = 'invalid username or password'

/** `POST /api/login`: exchanges a password for a session cookie. */
export const login =
  ({ signIn, log }: Needs): Handler<'auth.login'> =>
  async ({ params: { username, password }, origin, respond }) => {
    if ((await signIn.users.find(username)) !== undefined) respond.audit({ username })
    const user = await provenUser(signIn, { username, password, origin })
    if (user === undefined) throw refuse(wrong)
    respond.setCookie(sessionCookieName, await signIn.sessions.start(user), { maxAgeSeconds: sessionSeconds })
    respond.setCookie(deviceCookieName, await signIn.knownDevices.start(username), {
      maxAgeSeconds: knownDeviceSeconds,
    })
    await signIn.signedIn(username).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'the first password could not be removed; the next sign-in removes it')
    })
    return { ok: true, ...sessionAnswer(user) }
  }

/** `POST /api/logout`: ends every session of the user, on every replica and device. */
export const logout =
  ({ signIn }: Needs): Handler<'auth.logout'> =>
  async ({ caller, respond }) => {
    if (caller.kind === 'session') await signIn.users.endSessions(caller.username)
    respond.setCookie(sessionCookieName, '', { maxAgeSeconds: 0 })
    return { ok: true, authenticated: false }
  }

/** `GET /api/session`: the signed-in user, for any caller. */
export const session =
  (): Handler<'auth.session'> =>
  async ({ caller }) => {
    if (caller.kind !== 'session') return { authenticated: false }
    return sessionAnswer({ username: caller.username, role: caller.role === 'admin' ? 'admin' : 'viewer' })
  }

/** The part of the answers of login and session about a signed-in user. */
const sessionAnswer = ({ username, role }: Pick<User, 'username' | 'role'>) =>
  ({ authenticated: true, username, role, canMutate: role === 'admin' }) as const
