/** `POST /api/login`: a password becomes a session cookie. */
import { knownDeviceSeconds, sessionSeconds } from '../../contract/limits.ts'
import { refuse } from '../../contract/problem.ts'
import { deviceCookieName } from '../../records/auth/device-cookie.ts'
import { sessionCookieName } from '../../records/auth/session-cookie.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { provenUser } from '../context/proven-user.ts'
import { sessionAnswer } from './session.ts'

/** A locked name answers like a wrong password, so that a lock tells nothing. */
const wrong = 'invalid username or password'

export const login =
  ({ signIn, log }: Needs): Handler<'auth.login'> =>
  async ({ params: { username, password }, origin, respond }) => {
    if ((await signIn.users.find(username)) !== undefined) respond.audit({ username })
    const user = await provenUser(signIn, { username, password, origin })
    if (user === undefined) throw refuse(wrong)
    respond.setCookie(sessionCookieName, await signIn.sessions.start(user), { maxAgeSeconds: sessionSeconds })
    respond.setCookie(deviceCookieName, await signIn.knownDevices.start(username), { maxAgeSeconds: knownDeviceSeconds })
    await signIn.signedIn(username).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'the first password could not be removed; the next sign-in removes it')
    })
    return { ok: true, ...sessionAnswer(user) }
  }
