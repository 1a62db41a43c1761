/** The session cookie: who and until when, signed; the role is not in it, it is read again at each request. */
import { z } from 'zod'
import { sessionSeconds } from '../../contract/limits.ts'
import { readSigned, signText } from './signed-text.ts'
import type { User, UserDirectory, Users } from './users.ts'

export const sessionCookieName = 'svc_session'

/** Cookies of older releases were signed without one. */
const purpose = ''
const payload = z.object({ username: z.string(), epoch: z.number(), expiresAt: z.number() })

export interface Sessions {
  /** The cookie's value for a user who just proved a password. */
  start(user: User): Promise<string>
  /** The user of a cookie, with today's role; undefined when it is forged, expired or signed out. */
  resume(cookie: string): Promise<User | undefined>
  /** The same without asking the cluster: undefined also when it would have to be asked. */
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
