/** `GET /api/session`: who is signed in, for anyone who asks. */
import type { User } from '../../records/auth/users.ts'
import type { Handler } from '../context/handler.ts'

export const session =
  (): Handler<'auth.session'> =>
  async ({ caller }) => {
    if (caller.kind !== 'session') return { authenticated: false }
    return sessionAnswer({ username: caller.username, role: caller.role === 'admin' ? 'admin' : 'viewer' })
  }

/** The signed-in half of the answers of login and session. */
export const sessionAnswer = ({ username, role }: Pick<User, 'username' | 'role'>) =>
  ({ authenticated: true, username, role, canMutate: role === 'admin' }) as const
