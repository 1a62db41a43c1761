/** Changes of users: each is one conditional write of their Secret, decided on the list that it replaces. */
import type { UserRole } from '../../contract/caller.ts'
import { Problem, refuse } from '../../contract/problem.ts'
import { signInSecrets } from '../../kinds/system-secrets.ts'
import { withValues, type AuthSecret } from '../secrets/auth-secret.ts'
import type { RecordStore } from '../store/record-store.ts'
import type { TrustedSecrets } from '../secrets/trusted-secrets.ts'
import { refuseWeak } from './password-rules.ts'
import type { Passwords } from './passwords.ts'
import { freshEpoch, usersOf, type StoredUser, type User } from './users.ts'

export interface UserAdmin {
  list(): Promise<User[]>
  /** Throws Problem invalid_request for a name that is taken, and for a password that the rules refuse. */
  add(user: { username: string; password: string; role: UserRole }): Promise<void>
  /**
   * The following throw Problem not_found, and invalid_request for a change that would leave no admin. They end the
   * sessions of the user on every replica.
   */
  setPassword(username: string, password: string): Promise<User>
  setRole(username: string, role: UserRole): Promise<void>
  remove(username: string): Promise<void>
}

type Decide = (users: readonly StoredUser[]) => readonly StoredUser[] | undefined

export interface UserAdminNeeds {
  readonly store: RecordStore<AuthSecret>
  readonly trusted: TrustedSecrets
  readonly passwords: Passwords
}

export function createUserAdmin({ store, trusted, passwords }: UserAdminNeeds): UserAdmin {
  /** `decide` returns undefined when nothing is left to write, since an earlier write with a lost answer succeeded. */
  const change = async (decide: Decide): Promise<void> => {
    const saved = await store.edit(signInSecrets.users, (secret) => {
      const users = decide(usersOf(secret))
      if (users === undefined) return undefined
      if (!users.some(({ role }) => role === 'admin')) throw refuse('the last admin must remain')
      return withValues(secret, { users: JSON.stringify(users) })
    })
    if (saved === undefined) throw notFound()
  }
  const changeOne = async (username: string, fields: Partial<StoredUser>): Promise<User> => {
    const epoch = freshEpoch()
    let changed: User | undefined
    await change((users) => {
      const found = users.find((user) => user.username === username)
      if (found === undefined) throw notFound()
      changed = { username, role: fields.role ?? found.role, epoch }
      if (found.epoch === epoch) return undefined
      return users.map((user) => (user === found ? { ...user, ...fields, epoch } : user))
    })
    if (changed === undefined) throw notFound()
    return changed
  }
  return {
    async list() {
      const secret = await trusted.read(signInSecrets.users)
      const users = secret === undefined ? [] : usersOf(secret)
      return users.map(({ username, role, epoch }) => ({ username, role, epoch }))
    },
    async add({ username, password, role }) {
      refuseWeak(password, username)
      const passwordHash = await passwords.hash(password)
      const added: StoredUser = { username, role, passwordHash, epoch: freshEpoch() }
      await change((users) => {
        const found = users.find((user) => user.username === username)
        if (found === undefined) return [...users, added]
        if (found.passwordHash === passwordHash) return undefined
        throw refuse(`a user ${username} exists already`)
      })
    },
    async setPassword(username, password) {
      refuseWeak(password, username)
      return changeOne(username, { passwordHash: await passwords.hash(password) })
    },
    async setRole(username, role) {
      await changeOne(username, { role })
    },
    async remove(username) {
      let tried = false
      await change((users) => {
        const others = users.filter((user) => user.username !== username)
        if (others.length < users.length) {
          tried = true
          return others
        }
        if (tried) return undefined
        throw notFound()
      })
    },
  }
}

const notFound = (): Problem => new Problem('not_found', 'user was not found')
