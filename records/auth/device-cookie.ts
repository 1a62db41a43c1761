/**
 * The cookie of a browser that a user has signed in with before: such a browser is counted for itself when passwords
 * fail.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { knownDeviceSeconds } from '../../contract/limits.ts'
import { same } from './session-cookie.ts'
import type { Users } from './users.ts'

export const deviceCookieName = 'svc_device'

const payload = z.object({ username: z.string(), device: z.string(), expiresAt: z.number() })

export interface KnownDevices {
  /** The cookie's value for a user who just proved a password. */
  start(username: string): Promise<string>
  /** Which device it is; undefined when the cookie is another user's, forged or expired. It signs no user in. */
  recognise(cookie: string, username: string): Promise<string | undefined>
}

/** @param clock milliseconds since the epoch */
export function createKnownDevices({ sessionKey }: Pick<Users, 'sessionKey'>, clock: () => number): KnownDevices {
  return {
    async start(username) {
      const key = await sessionKey()
      if (key === undefined) throw new Error('no session key: the users Secret is gone')
      const device = {
        username,
        device: randomBytes(12).toString('base64url'),
        expiresAt: clock() + knownDeviceSeconds * 1000,
      }
      const body = Buffer.from(JSON.stringify(device)).toString('base64url')
      return `${body}.${sign(body, key)}`
    },
    async recognise(cookie, username) {
      const [body, signature, rest] = cookie.split('.')
      if (body === undefined || signature === undefined || rest !== undefined) return undefined
      const key = await sessionKey()
      if (key === undefined || !same(sign(body, key), signature)) return undefined
      const found = payload.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')))
      if (!found.success || found.data.username !== username || found.data.expiresAt <= clock()) return undefined
      return found.data.device
    },
  }
}

/** Unlike what is signed for a session, so that neither passes for the other. */
const sign = (body: string, key: Buffer): string =>
  createHmac('sha256', key).update(`device ${body}`).digest('base64url')
