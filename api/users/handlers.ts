/** The handlers of users; most only call `records/auth/manage-users.ts`. */
import { sessionSeconds } from '../../contract/limits.ts'
import type { OperationsOf } from '../../contract/operations.ts'
import { refusals, refuse } from '../../contract/problem.ts'
import { sessionCookieName } from '../../records/auth/session-cookie.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { provenUser } from '../context/proven-user.ts'

export const userHandlers = (needs: Needs) =>
  ({
    'users.list': list(needs),
    'users.create': create(needs),
    'users.set-password': setPassword(needs),
    'users.set-role': setRole(needs),
    'users.remove': remove(needs),
    'users.change-password': changePassword(needs),
  }) satisfies HandlerTable<OperationsOf<'users'>>

const list =
  ({ signIn }: Needs): Handler<'users.list'> =>
  async () => ({ items: (await signIn.userAdmin.list()).map(({ username, role }) => ({ username, role })) })

const create =
  ({ signIn }: Needs): Handler<'users.create'> =>
  async ({ params: { username, password, role } }) => {
    await signIn.userAdmin.add({ username, password, role })
    return { ok: true, item: { username, role } }
  }

const setPassword =
  ({ signIn }: Needs): Handler<'users.set-password'> =>
  async ({ params: { username, password }, caller }) => {
    if (username === caller.username) throw refuse('change your own password with the current one: POST /me/password')
    await signIn.userAdmin.setPassword(username, password)
    return { ok: true }
  }

const setRole =
  ({ signIn }: Needs): Handler<'users.set-role'> =>
  async ({ params: { username, role } }) => {
    await signIn.userAdmin.setRole(username, role)
    return { ok: true, item: { username, role } }
  }

/** Tokens that the user made stay valid; the answer has their number, since they may have admin rights. */
const remove =
  ({ signIn, tokens }: Needs): Handler<'users.remove'> =>
  async ({ params: { username, confirmName } }) => {
    if (confirmName !== username) throw refuse(refusals.confirmation)
    await signIn.userAdmin.remove(username)
    return { ok: true, tokens: tokens.list().filter(({ createdBy }) => createdBy === username).length }
  }

/**
 * `POST /me/password`: changes the password of the signed-in user, who gives the current one; this browser stays signed
 * in.
 */
const changePassword =
  ({ signIn }: Needs): Handler<'users.change-password'> =>
  async ({ params: { currentPassword, newPassword }, caller, origin, respond }) => {
    const { username } = caller
    if (caller.kind !== 'session') throw refuse('a token has no password; sign in as the user')
    if ((await provenUser(signIn, { username, password: currentPassword, origin })) === undefined)
      throw refuse('the current password is wrong')
    const user = await signIn.userAdmin.setPassword(username, newPassword)
    respond.setCookie(sessionCookieName, await signIn.sessions.start(user), { maxAgeSeconds: sessionSeconds })
    return { ok: true }
  }
