/** `svc login --username`: asks for the password, or reads it from standard input, and gets a token for it. */
import { hostname } from 'node:os'
import { ApiError } from '../../client/api-error.ts'
import { CliError } from '../session/exit-codes.ts'
import { userAgent, type Session } from '../session/session.ts'

/** @throws CliError `notAllowed` for a wrong password, or a user who may not make tokens. */
export async function tokenByPassword(session: Session, url: string, username: string, fromInput: boolean): Promise<string> {
  const { terminal, signal } = session
  const password = fromInput ? (await terminal.readInput()).replace(/\r?\n$/, '') : await terminal.askSecret(`Password of ${username}: `)
  const { signInByPassword } = await import('../../client/password-sign-in.ts')
  const { deviceTokenDays, tokenNameMax } = await import('../../contract/limits.ts')
  const tokenName = `svc on ${hostname()}`.slice(0, tokenNameMax)
  try {
    return await signInByPassword({ baseUrl: url, username, password, tokenName, expiresInDays: deviceTokenDays, userAgent, signal })
  } catch (error) {
    // The dashboard route answers a wrong password with 400; for a shell it is a sign-in refused.
    if (error instanceof ApiError && error.status < 500) throw new CliError('notAllowed', error.message, error)
    throw error
  }
}
