/** Passwords that no user may have: those of examples and templates, which are public. */
import { refuse } from '../../contract/problem.ts'

const placeholder =
  /^(change-?me|password\d*|passw0rd|admin|secret|example|placeholder|test|123456\d*|<.*>|\$\{.*\}|x+)$/i

export const isPlaceholder = (password: string): boolean => placeholder.test(password)

/** Throws Problem invalid_request, without repeating the password. */
export function refuseWeak(password: string, username: string): void {
  if (isPlaceholder(password)) throw refuse('a placeholder password is not accepted')
  if (password.toLowerCase() === username.toLowerCase()) throw refuse('a password must not be the name of its user')
}
