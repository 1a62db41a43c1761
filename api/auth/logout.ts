/** `POST /api/logout`: ends every session of the user, on every replica and device. */
import { sessionCookieName } from '../../records/auth/session-cookie.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const logout =
  ({ signIn }: Needs): Handler<'auth.logout'> =>
  async ({ caller, respond }) => {
    if (caller.kind === 'session') await signIn.users.endSessions(caller.username)
    respond.setCookie(sessionCookieName, '', { maxAgeSeconds: 0 })
    return { ok: true, authenticated: false }
  }
