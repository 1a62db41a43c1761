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
    async resume(cookie) {
      const directory = await users.directory()
      const session = sessionIn(cookie, directory, clock())
      if (session === undefined) return undefined
      // Another replica may have begun this session a moment ago, after it had ended those before.
      return userOf(session, directory) ?? userOf(session, await users.directoryLive())
    },
    resumeCached(cookie) {
      const directory = users.directoryCached()
      const session = sessionIn(cookie, directory, clock())
      return session === undefined ? undefined : userOf(session, directory)
    },
  }
}

type Session = z.output<typeof payload>

/** Undefined for a cookie that is forged or expired. */
function sessionIn(cookie: string, directory: UserDirectory | undefined, now: number): Session | undefined {
  const key = directory?.sessionKey
  if (key === undefined) return undefined
  const session = payload.safeParse(readSigned(cookie, key, purpose))
  return session.success && session.data.expiresAt > now ? session.data : undefined
}

function userOf({ username, epoch }: Session, directory: UserDirectory | undefined): User | undefined {
  const user = directory?.find(username)
  return user?.epoch === epoch ? user : undefined
}
