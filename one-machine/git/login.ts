/** Who may push: users with the token of the git server, which is in files that its user alone can read. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '../processes/write-whole.ts'

export const gitUser = 'svc'

/** The token of `folder`, made at the first time. */
export async function keepToken(folder: string): Promise<string> {
  const file = join(folder, 'token')
  const kept = existsSync(file) ? (await readFile(file, 'utf8')).trim() : ''
  if (kept !== '') return kept
  const token = randomBytes(24).toString('base64url')
  writeWhole(file, `${token}\n`, 0o600)
  return token
}

/** Of a header `Authorization`. Any user name is taken: the token is the password. */
export function holdsToken(header: string | undefined, token: string): boolean {
  const [scheme = '', encoded = ''] = (header ?? '').split(' ')
  if (scheme.toLowerCase() !== 'basic') return false
  const login = Buffer.from(encoded, 'base64').toString()
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(login.slice(login.indexOf(':') + 1)), digest(token))
}

/**
 * Writes what git needs to push, and resolves with the file that `git clone -c include.path=…` takes. `origins` are
 * `https://host:port`, `authority` is the path of a certificate in PEM.
 */
export async function writeClientSettings(
  folder: string,
  { origins, authority, token }: { origins: readonly string[]; authority: string; token: string },
): Promise<string> {
  const credentials = join(folder, 'credentials')
  const logins = origins.map((origin) => `https://${gitUser}:${token}@${origin.slice('https://'.length)}\n`)
  await writeFile(credentials, logins.join(''), { mode: 0o600 })
  const file = join(folder, 'client.gitconfig')
  const settings = origins.map(
    (origin) =>
      `[http "${origin}"]\n\tsslCAInfo = "${authority}"\n[credential "${origin}"]\n\thelper = store --file='${credentials}'\n`,
  )
  await writeFile(file, settings.join(''), { mode: 0o600 })
  return file
}
