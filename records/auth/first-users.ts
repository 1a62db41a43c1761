/** The users of a new install; once their Secret exists, these settings have no effect. */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { isAlreadyExists } from '../../cluster/objects/errors.ts'
import { textAt } from '../../cluster/objects/secret-data.ts'
import { passwordMax, passwordMin, usernameMax } from '../../contract/limits.ts'
import { refusals } from '../../contract/problem.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { signInSecrets } from '../../kinds/system-secrets.ts'
import { authSecret, type AuthSecret } from '../secrets/auth-secret.ts'
import type { RecordStore } from '../store/record-store.ts'
import { isPlaceholder } from './password-rules.ts'
import type { Passwords } from './passwords.ts'
import { usersSecret } from './users.ts'
import { userRoles } from '../../contract/fields/words.ts'

export interface FirstUsersOptions {
  /** `SVC_DASHBOARD_USERS`: a JSON list of {username, password, role}. */
  readonly users: string | undefined
  /** `SVC_FIRST_ADMIN=1`: without any user, create `admin` with a random password. */
  readonly makeAdmin: boolean
}

export type FirstUsers =
  | { readonly outcome: 'already set' | 'filled' | 'none' }
  /** This Secret has the password until the user signs in. */
  | { readonly outcome: 'made admin'; readonly username: string; readonly secret: string }

const given = z
  .array(
    z.object({
      username: z.string().trim().min(1).max(usernameMax),
      password: z.string().min(passwordMin, refusals.passwordLength).max(passwordMax),
      role: z.enum(userRoles),
    }),
  )
  .min(1)
  .refine((users) => new Set(users.map(({ username }) => username)).size === users.length, 'user names must be unique')
  .refine((users) => !users.some(({ password }) => isPlaceholder(password)), 'a placeholder password is not accepted')

/**
 * Creates the Secret of the users where it does not exist. Throws a plain Error, without any password in it, for
 * invalid settings.
 */
export async function ensureFirstUsers(
  store: RecordStore<AuthSecret>,
  passwords: Passwords,
  options: FirstUsersOptions,
): Promise<FirstUsers> {
  if ((await store.readLive(signInSecrets.users)) !== undefined) return { outcome: 'already set' }
  if (options.users !== undefined && options.users.trim() !== '') {
    const made = await create(store, await usersSecret(parseUsers(options.users), passwords))
    return { outcome: made ? 'filled' : 'already set' }
  }
  if (!options.makeAdmin) return { outcome: 'none' }
  // The password is stored before the user is: after a crash, or in another replica, the same password is used.
  const admin = { username: 'admin', password: await firstPassword(store), role: 'admin' } as const
  const made = await create(store, await usersSecret([admin], passwords))
  return made
    ? { outcome: 'made admin', username: admin.username, secret: signInSecrets.first }
    : { outcome: 'already set' }
}

async function firstPassword(store: RecordStore<AuthSecret>): Promise<string> {
  const wanted = { username: 'admin', password: randomBytes(15).toString('base64url') }
  await create(store, authSecret(signInSecrets.first, 'first-sign-in', wanted))
  const secret = await store.readLive(signInSecrets.first)
  const password = textAt(secret, 'password')
  if (password === undefined)
    throw new Error(`Secret ${signInSecrets.first} holds no password; delete it and start again`)
  return password
}

/**
 * Deletes the Secret with the first password once its user has signed in: the password was read, and nothing else
 * should read it.
 */
export async function forgetFirstPassword(store: RecordStore<AuthSecret>, username: string): Promise<void> {
  const secret = store.cache.get(signInSecrets.first, systemNamespace)
  if (secret === undefined || textAt(secret, 'username') !== username) return
  await store.remove(signInSecrets.first, secret.metadata.uid ?? '')
}

/** False when another replica created it first. */
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
  // The messages of the schema name fields, never their values.
  throw new Error(`SVC_DASHBOARD_USERS is not usable: ${result.error.issues[0]?.message ?? 'unknown reason'}`)
}
