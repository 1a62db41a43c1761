/** The session cookie: who and until when, signed; the role is not in it, it is read again at each request. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { sessionSeconds } from '../../contract/limits.ts'
import type { User, UserDirectory, Users } from './users.ts'

export const sessionCookieName = 'svc_session'

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
      const body = encode({ username, epoch, expiresAt: clock() + sessionSeconds * 1000 })
      return `${body}.${sign(body, key)}`
    },
    resume: async (cookie) => userOf(cookie, await users.directory(), clock()),
    resumeCached: (cookie) => userOf(cookie, users.directoryCached(), clock()),
  }
}

function userOf(cookie: string, directory: UserDirectory | undefined, now: number): User | undefined {
  const [body, signature, rest] = cookie.split('.')
  if (body === undefined || signature === undefined || rest !== undefined) return undefined
  const key = directory?.sessionKey
  if (key === undefined || !same(sign(body, key), signature)) return undefined
  const session = payload.safeParse(decode(body))
  if (!session.success || session.data.expiresAt <= now) return undefined
  const user = directory?.find(session.data.username)
  return user?.epoch === session.data.epoch ? user : undefined
}

const sign = (body: string, key: Buffer): string => createHmac('sha256', key).update(body).digest('base64url')
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Only called on what the signature vouches for, so it is JSON that was written here. */
const decode = (body: string): unknown => JSON.parse(Buffer.from(body, 'base64url').toString('utf8'))

/** Compares in constant time. */
export function same(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
