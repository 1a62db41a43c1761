/** Who may sign in at the very first start; the Secret wins ever after. */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { isAlreadyExists } from '../../cluster/errors.ts'
import { passwordMax, usernameMax } from '../../contract/limits.ts'
import type { AuthSecret } from '../auth-secret.ts'
import type { RecordStore } from '../record-store.ts'
import type { Passwords } from './passwords.ts'
import { usersSecret, usersSecretName } from './users.ts'

export interface FirstUsersOptions {
  /** `SVC_DASHBOARD_USERS`: a JSON list of {username, password, role}. */
  readonly users: string | undefined
  /** `SVC_FIRST_ADMIN=1`: with no users at all, make `admin` with a random password. */
  readonly makeAdmin: boolean
}

export type FirstUsers =
  | { readonly outcome: 'already set' | 'filled' | 'none' }
  /** The password exists nowhere else in plain text: print it once. */
  | { readonly outcome: 'made admin'; readonly username: string; readonly password: string }

const placeholder = /^(change-?me|password|passw0rd|admin|secret|example|placeholder|test|123456\d*|<.*>|\$\{.*\}|x+)$/i

const given = z
  .array(
    z.object({
      username: z.string().trim().min(1).max(usernameMax),
      password: z.string().min(8, 'a password must be at least 8 characters').max(passwordMax),
      role: z.enum(['admin', 'viewer']),
    }),
  )
  .min(1)
  .refine((users) => new Set(users.map(({ username }) => username)).size === users.length, 'user names must be unique')
  .refine((users) => !users.some(({ password }) => placeholder.test(password)), 'a placeholder password is not accepted')

/** Fills the Secret when there is none. Throws a plain Error, without any password in it, for unusable settings. */
export async function ensureFirstUsers(store: RecordStore<AuthSecret>, passwords: Passwords, options: FirstUsersOptions): Promise<FirstUsers> {
  if ((await store.readLive(usersSecretName)) !== undefined) return { outcome: 'already set' }
  if (options.users !== undefined && options.users.trim() !== '') {
    const made = await create(store, await usersSecret(parseUsers(options.users), passwords))
    return { outcome: made ? 'filled' : 'already set' }
  }
  if (!options.makeAdmin) return { outcome: 'none' }
  const admin = { username: 'admin', password: randomBytes(15).toString('base64url'), role: 'admin' } as const
  const made = await create(store, await usersSecret([admin], passwords))
  return made ? { outcome: 'made admin', username: admin.username, password: admin.password } : { outcome: 'already set' }
}

/** False when another replica was first. */
async function create(store: RecordStore<AuthSecret>, secret: AuthSecret): Promise<boolean> {
  try {
    await store.create(secret)
    return true
  } catch (error) {
    if (isAlreadyExists(error)) return false
    throw error
  }
}

function parseUsers(text: string): z.output<typeof given> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('SVC_DASHBOARD_USERS must be a JSON list of {username, password, role}')
  }
  const result = given.safeParse(value)
  if (result.success) return result.data
  // The issue's own words name fields, never their values.
  throw new Error(`SVC_DASHBOARD_USERS is not usable: ${result.error.issues[0]?.message ?? 'unknown reason'}`)
}
