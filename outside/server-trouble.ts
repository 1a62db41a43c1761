/** How a call of an object server or a cloud went wrong, in the three ways that a story tells apart. */

/** No answer, or one that says "later": the server is down, starting or too busy. */
export class ServerAway extends Error {
  override name = 'ServerAway'
}

/** The server answers, and does not know the login it was asked with. */
export class LoginRefused extends Error {
  override name = 'LoginRefused'
}

/** The server understood and refused; its words, without addresses or values of ours. */
export class CallRefused extends Error {
  override name = 'CallRefused'
  readonly status: number
  /** As the server names it, e.g. `NoSuchBucket`. */
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(`${status}: ${code === '' ? message : `${code}: ${message}`}`)
    this.status = status
    this.code = code
  }
}

const loginCodes = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch'])
const tooManyRequests = 429
const serverErrors = 500

/** The trouble that an error answer is: a status of the server's own, or a code that names the login. */
export function troubleOf(status: number, code: string, message: string): ServerAway | LoginRefused | CallRefused {
  if (status >= serverErrors || status === tooManyRequests) return new ServerAway(`${status}: ${code}`)
  return loginCodes.has(code) ? new LoginRefused(code) : new CallRefused(status, code, message)
}
