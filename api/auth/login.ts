/** `POST /api/login`: a password becomes a session cookie. */
import { sessionSeconds } from '../../contract/limits.ts'
import { Problem, refusals, refuse } from '../../contract/problem.ts'
import { sessionCookieName } from '../../records/auth/session-cookie.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { sessionAnswer } from './session.ts'

/** A locked name answers like a wrong password, so that a lock tells nothing. */
const wrong = 'invalid username or password'

const tooMany = (): Problem => new Problem('rate_limited', refusals.tooManySignIns)

export const login =
  ({ signIn }: Needs): Handler<'auth.login'> =>
  async ({ params: { username, password }, origin, respond }) => {
    const attempt = { username, address: origin.address }
    if (signIn.passwords.busy) throw tooMany()
    const admission = await signIn.lockout.admit(attempt)
    if (admission === 'limited') throw tooMany()
    if (admission === 'locked') throw refuse(wrong)
    const user = await signIn.users.verify(username, password)
    if (user === undefined) throw refuse(wrong)
    await signIn.lockout.succeeded(attempt)
    respond.setCookie(sessionCookieName, await signIn.sessions.start(user), { maxAgeSeconds: sessionSeconds })
    return { ok: true, ...sessionAnswer(user) }
  }
