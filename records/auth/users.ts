/** The users of the dashboard, in one Secret: who they are, their role, and the epoch that ends their sessions. */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { UserRole } from '../../contract/caller.ts'
import { authSecret, jsonOf, valueOf, withValues } from '../auth-secret.ts'
import type { AuthSecret } from '../auth-secret.ts'
import type { RecordStore } from '../record-store.ts'
import type { TrustedSecrets } from '../trusted-secrets.ts'
import { decoyHash } from './passwords.ts'
import type { Passwords } from './passwords.ts'

export interface User {
  readonly username: string
  readonly role: UserRole
  /** Grows with each sign-out; a session of an earlier epoch is over. */
  readonly epoch: number
}

export interface Users {
  /** Undefined for an unknown name and for a wrong password alike, after the same work. */
  verify(username: string, password: string): Promise<User | undefined>
  find(username: string): Promise<User | undefined>
  /** Ends every session of the user, on every replica. */
  endSessions(username: string): Promise<void>
  /** 32 random bytes that sign session cookies; undefined while no users are set. */
  sessionKey(): Promise<Buffer | undefined>
}

export const usersSecretName = 'svc-dashboard-auth'

const storedUser = z.object({
  username: z.string().min(1),
  passwordHash: z.string(),
  role: z.enum(['admin', 'viewer']),
  epoch: z.number().int(),
})
const storedUsers = z.array(storedUser)
type StoredUser = z.output<typeof storedUser>

export interface NewUser {
  readonly username: string
  readonly password: string
  readonly role: UserRole
}

/** The Secret for a first start: hashed passwords and a fresh session key. */
export async function usersSecret(users: readonly NewUser[], passwords: Passwords): Promise<AuthSecret> {
  const stored: StoredUser[] = []
  // One after the other: more at once than may wait would be refused.
  for (const { username, password, role } of users) stored.push({ username, role, epoch: 1, passwordHash: await passwords.hash(password) })
  return authSecret(usersSecretName, 'users', {
    users: JSON.stringify(stored),
    sessionKey: randomBytes(32).toString('base64'),
  })
}

export function createUsers(store: RecordStore<AuthSecret>, trusted: TrustedSecrets, passwords: Passwords): Users {
  const load = async (username: string): Promise<StoredUser | undefined> => {
    const secret = await trusted.read(usersSecretName)
    return secret === undefined ? undefined : usersOf(secret).find((user) => user.username === username)
  }
  const decoy = decoyHash()
  return {
    async verify(username, password) {
      const user = await load(username)
      const right = await passwords.verify(password, user?.passwordHash ?? decoy)
      return right && user !== undefined ? publicUser(user) : undefined
    },
    async find(username) {
      const user = await load(username)
      return user === undefined ? undefined : publicUser(user)
    },
    async endSessions(username) {
      await store.edit(usersSecretName, (secret) => {
        const users = usersOf(secret).map((user) => (user.username === username ? { ...user, epoch: user.epoch + 1 } : user))
        return withValues(secret, { users: JSON.stringify(users) })
      })
    },
    async sessionKey() {
      const secret = await trusted.read(usersSecretName)
      const key = secret === undefined ? undefined : valueOf(secret, 'sessionKey')
      return key === undefined ? undefined : Buffer.from(key, 'base64')
    },
  }
}

function usersOf(secret: AuthSecret): StoredUser[] {
  return storedUsers.parse(jsonOf(secret, 'users'))
}

const publicUser = ({ username, role, epoch }: StoredUser): User => ({ username, role, epoch })
