/** The users of the dashboard, in one Secret: names, roles, and the epoch that ends their sessions. */
import { randomBytes, randomInt } from 'node:crypto'
import { z } from 'zod'
import { textAt } from '../../cluster/objects/secret-data.ts'
import type { UserRole } from '../../contract/caller.ts'
import { signInSecrets } from '../../kinds/system-secrets.ts'
import { authSecret, jsonOf, withValues, type AuthSecret } from '../secrets/auth-secret.ts'
import type { RecordStore } from '../store/record-store.ts'
import type { TrustedSecrets } from '../secrets/trusted-secrets.ts'
import { decoyHash, type Passwords } from './passwords.ts'
import { userRoles } from '../../contract/fields/words.ts'

export interface User {
  readonly username: string
  readonly role: UserRole
  /** Changes with each sign-out and each change of password or role; sessions of another epoch have ended. */
  readonly epoch: number
}

export interface Users {
  /** Undefined for an unknown name and for a wrong password alike, after equal work. */
  verify(username: string, password: string, ahead?: boolean): Promise<User | undefined>
  find(username: string): Promise<User | undefined>
  /** Undefined while no users are set. */
  directory(): Promise<UserDirectory | undefined>
  /** As `directory`, from the cache alone: undefined also when the cache may not be relied on. */
  directoryCached(): UserDirectory | undefined
  /** As `directory`, always read live: another replica may have changed a user a moment ago. */
  directoryLive(): Promise<UserDirectory | undefined>
  /** Ends every session of the user, on every replica. */
  endSessions(username: string): Promise<void>
  /** 32 random bytes that sign session cookies; undefined while no users are set. */
  sessionKey(): Promise<Buffer | undefined>
}

/** All users and the key of their sessions, from one version of the Secret. */
export interface UserDirectory {
  readonly sessionKey: Buffer | undefined
  find(username: string): User | undefined
}

const storedUser = z.object({
  username: z.string().min(1),
  passwordHash: z.string(),
  role: z.enum(userRoles),
  epoch: z.number().int(),
})
const storedUsers = z.array(storedUser)
export type StoredUser = z.output<typeof storedUser>

/** Random, so that a user who is removed and created again does not get the old sessions back. */
export const freshEpoch = (): number => randomInt(epochEnd)

/** The most that `randomInt` takes. */
const epochEnd = 2 ** 48 - 1

export interface NewUser {
  readonly username: string
  readonly password: string
  readonly role: UserRole
}

/** The Secret for a first start: hashed passwords and a fresh session key. */
export async function usersSecret(users: readonly NewUser[], passwords: Passwords): Promise<AuthSecret> {
  const stored: StoredUser[] = []
  // One after the other, since more concurrent hashes than may wait would be refused.
  for (const { username, password, role } of users)
    stored.push({ username, role, epoch: freshEpoch(), passwordHash: await passwords.hash(password) })
  return authSecret(signInSecrets.users, 'users', {
    users: JSON.stringify(stored),
    sessionKey: randomBytes(32).toString('base64'),
  })
}

export function createUsers(store: RecordStore<AuthSecret>, trusted: TrustedSecrets, passwords: Passwords): Users {
  /** Read live: of a user that another replica has just made or signed out, the cache has no epoch or an old one. */
  const load = async (username: string): Promise<StoredUser | undefined> => {
    const secret = await trusted.readLive(signInSecrets.users)
    return secret === undefined ? undefined : usersOf(secret).find((user) => user.username === username)
  }
  const directory = async (): Promise<UserDirectory | undefined> => {
    const secret = await trusted.read(signInSecrets.users)
    return secret === undefined ? undefined : directoryIn(secret)
  }
  const directoryLive = async (): Promise<UserDirectory | undefined> => {
    const secret = await trusted.readLive(signInSecrets.users)
    return secret === undefined ? undefined : directoryIn(secret)
  }
  const decoy = decoyHash()
  return {
    async verify(username, password, ahead) {
      const user = await load(username)
      const right = await passwords.verify(password, user?.passwordHash ?? decoy, ahead)
      return right && user !== undefined ? publicUser(user) : undefined
    },
    find: async (username) => (await directory())?.find(username),
    directory,
    directoryLive,
    directoryCached() {
      const secret = trusted.cached(signInSecrets.users)
      return secret === undefined ? undefined : directoryIn(secret)
    },
    async endSessions(username) {
      const epoch = freshEpoch()
      await store.edit(signInSecrets.users, (secret) => {
        const users = usersOf(secret).map((user) => (user.username === username ? { ...user, epoch } : user))
        return withValues(secret, { users: JSON.stringify(users) })
      })
    },
    sessionKey: async () => (await directory())?.sessionKey,
  }
}

export function usersOf(secret: AuthSecret): StoredUser[] {
  return storedUsers.parse(jsonOf(secret, 'users'))
}

/**
 * Parsed once per version of the Secret: every request of a session needs it, and the cache returns the same object.
 */
const directories = new WeakMap<AuthSecret, UserDirectory>()

function directoryIn(secret: AuthSecret): UserDirectory {
  const known = directories.get(secret)
  if (known !== undefined) return known
  const key = textAt(secret, 'sessionKey')
  const users = new Map(usersOf(secret).map((user) => [user.username, publicUser(user)]))
  const directory = {
    sessionKey: key === undefined ? undefined : Buffer.from(key, 'base64'),
    find: (username: string) => users.get(username),
  }
  directories.set(secret, directory)
  return directory
}

const publicUser = ({ username, role, epoch }: StoredUser): User => ({ username, role, epoch })
