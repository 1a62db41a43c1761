/** `POST /me/password`: the signed-in user proves the current password and gets another; this browser stays signed in. */
import { sessionSeconds } from '../../contract/limits.ts'
import { refuse } from '../../contract/problem.ts'
import { sessionCookieName } from '../../records/auth/session-cookie.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { provenUser } from '../context/proven-user.ts'

export const changePassword =
  ({ signIn }: Needs): Handler<'users.change-password'> =>
  async ({ params: { currentPassword, newPassword }, caller, origin, respond }) => {
    const { username } = caller
    if (caller.kind !== 'session') throw refuse('a token has no password; sign in as the user')
    if ((await provenUser(signIn, { username, password: currentPassword, origin })) === undefined) throw refuse('the current password is wrong')
    const user = await signIn.userAdmin.setPassword(username, newPassword)
    respond.setCookie(sessionCookieName, await signIn.sessions.start(user), { maxAgeSeconds: sessionSeconds })
    return { ok: true }
  }
