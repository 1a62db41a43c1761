/**
 * A session for one command: signed in with a password from a prompt, standard input or SVC_PASSWORD, never from an
 * argument.
 */
import { ApiError } from '../../client/api-error.ts'
import type { Client } from '../../client/client.ts'
import { CliError } from './exit-codes.ts'
import { addressOf, userAgent, type Session } from './session.ts'

export interface DoorFlags {
  as: string
  passwordStdin?: boolean
}

export interface Door {
  readonly client: Client
  /** The password of the admin who signed in. */
  readonly password: string
  /** The new password of a user. @throws CliError `usage` without one, `error` when the two inputs differ. */
  newPassword(username: string): Promise<string>
}

/** @throws CliError `notAllowed` for a wrong password. */
export async function openDoor(session: Session, { as: admin, passwordStdin }: DoorFlags): Promise<Door> {
  const { terminal, signal } = session
  const baseUrl = addressOf(session)
  const lines = passwordStdin === true ? (await terminal.readInput()).split(/\r?\n/) : undefined
  const password =
    lines === undefined
      ? session.env['SVC_PASSWORD'] || (await terminal.askSecret(`Password of ${admin}: `))
      : (lines[0] ?? '')
  const { createClient } = await import('../../client/client.ts')
  const { sessionByPassword } = await import('../../client/password-sign-in.ts')
  const cookie = await sessionByPassword({ baseUrl, username: admin, password, userAgent, signal }).catch(
    (error: unknown) => {
      // The dashboard route answers a wrong password with 400; a shell gets the exit code of a refused sign-in.
      if (error instanceof ApiError && error.status < 500) throw new CliError('notAllowed', error.message, error)
      throw error
    },
  )
  return {
    client: createClient({ baseUrl, userAgent, session: cookie }),
    password,
    async newPassword(username) {
      if (lines !== undefined) return lines[1] || missing(username)
      const typed = await terminal.askSecret(`New password of ${username}: `)
      if ((await terminal.askSecret('The same again: ')) !== typed)
        throw new CliError('error', 'the two passwords differ, nothing was changed')
      return typed
    },
  }
}

function missing(username: string): never {
  throw new CliError('usage', `standard input has no second line with the new password of ${username}`)
}
