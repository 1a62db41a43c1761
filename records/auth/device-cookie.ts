/**
 * The cookie of a browser in which a user has signed in before: failed passwords from such a browser are counted
 * separately.
 */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { knownDeviceSeconds } from '../../contract/limits.ts'
import { readSigned, signText } from './signed-text.ts'
import type { Users } from './users.ts'

export const deviceCookieName = 'svc_device'

const purpose = 'device'
const payload = z.object({ username: z.string(), device: z.string(), expiresAt: z.number() })

export interface KnownDevices {
  /** The value of the cookie for a user whose password was just verified. */
  start(username: string): Promise<string>
  /**
   * The ID of the device; undefined when the cookie is another user's, forged or expired. The cookie signs no user in.
   */
  recognise(cookie: string, username: string): Promise<string | undefined>
}

/** @param clock milliseconds since the epoch */
export function createKnownDevices({ sessionKey }: Pick<Users, 'sessionKey'>, clock: () => number): KnownDevices {
  return {
    async start(username) {
      const key = await sessionKey()
      if (key === undefined) throw new Error('no session key: the users Secret is gone')
      const device = randomBytes(12).toString('base64url')
      return signText({ username, device, expiresAt: clock() + knownDeviceSeconds * 1000 }, key, purpose)
    },
    async recognise(cookie, username) {
      const key = await sessionKey()
      if (key === undefined) return undefined
      const found = payload.safeParse(readSigned(cookie, key, purpose))
      if (!found.success || found.data.username !== username || found.data.expiresAt <= clock()) return undefined
      return found.data.device
    },
  }
}
