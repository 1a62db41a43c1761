/** The session cookie: username and end, signed. The role is not in it but read at each request. */
import { z } from 'zod'
import { sessionSeconds } from '../../contract/limits.ts'
import { readSigned, signText } from './signed-text.ts'
import type { User, UserDirectory, Users } from './users.ts'

export const sessionCookieName = 'svc_session'

/** Empty, since cookies of older releases were signed without a purpose. */
const purpose = ''
const payload = z.object({ username: z.string(), epoch: z.number(), expiresAt: z.number() })

export interface Sessions {
  /** The value of the cookie for a user whose password was just verified. */
  start(user: User): Promise<string>
  /** The user of a cookie with the current role; undefined when it is forged, expired or signed out. */
  resume(cookie: string): Promise<User | undefined>
  /** As `resume`, from the cache alone: undefined also when the cache may not be relied on. */
  resumeCached(cookie: string): User | undefined
}

/** @param clock milliseconds since the epoch */
export function createSessions(users: Users, clock: () => number): Sessions {
  return {
    async start({ username, epoch }) {
      const key = await users.sessionKey()
      if (key === undefined) throw new Error('no session key: the users Secret is gone')
      return signText({ username, epoch, expiresAt: clock() + sessionSeconds * 1000 }, key, purpose)
    },
    resume: async (cookie) => userOf(cookie, await users.directory(), clock()),
    resumeCached: (cookie) => userOf(cookie, users.directoryCached(), clock()),
  }
}

function userOf(cookie: string, directory: UserDirectory | undefined, now: number): User | undefined {
  const key = directory?.sessionKey
  if (key === undefined) return undefined
  const session = payload.safeParse(readSigned(cookie, key, purpose))
  if (!session.success || session.data.expiresAt <= now) return undefined
  const user = directory?.find(session.data.username)
  return user?.epoch === session.data.epoch ? user : undefined
}
