/**
 * Device sign-ins: for programs without a browser (docs/reference/access.md#device-sign-in).
 * 1. The program starts one and holds the device code. 2. It shows the user code. 3. A signed-in admin approves or
 *   refuses.
 * 4. The program polls; approved, it gets the token, once. All replicas share the pending ones through one Secret.
 */
import { z } from 'zod'
import { isAlreadyExists } from '../../cluster/objects/errors.ts'
import { deviceLifetimeSeconds, devicePendingMax, devicePendingPerAddress } from '../../contract/limits.ts'
import { Problem, refuse, refuseFor } from '../../contract/problem.ts'
import { signInSecrets } from '../../kinds/system-secrets.ts'
import { authSecret, jsonOf, withValues, type AuthSecret } from '../secrets/auth-secret.ts'
import { callerAt } from '../counters/network.ts'
import type { RecordStore } from '../store/record-store.ts'
import type { TrustedSecrets } from '../secrets/trusted-secrets.ts'
import { codeDigest, mintDeviceCode, mintUserCode, plainUserCode } from './device-codes.ts'

const stored = z.object({
  deviceDigest: z.string(),
  userDigest: z.string(),
  clientName: z.string(),
  /** Digest of the address that started the sign-in. */
  from: z.string().optional(),
  expiresAt: z.number(),
  status: z.enum(['pending', 'approved', 'denied']),
  tokenId: z.string().optional(),
  approvedBy: z.string().optional(),
})
export type DeviceSignIn = z.output<typeof stored>

type Answer = Pick<DeviceSignIn, 'status' | 'tokenId' | 'approvedBy'>

export interface DeviceSignIns {
  /** Throws Problem rate_limited when too many sign-ins are pending, in total or for this address. */
  start(clientName: string, address: string): Promise<{ deviceCode: string; userCode: string }>
  byUserCode(userCode: string): Promise<DeviceSignIn | undefined>
  byDeviceCode(deviceCode: string): Promise<DeviceSignIn | undefined>
  /**
   * Throws Problem: not_found for an unknown or expired code, invalid_request for a sign-in that was answered already.
   */
  answer(userCode: string, answer: Answer): Promise<DeviceSignIn>
  /** Removes the sign-in once its token was handed out, or it was refused. */
  forget(deviceCode: string): Promise<void>
}

/** @param clock milliseconds since the epoch */
export function createDeviceSignIns(
  store: RecordStore<AuthSecret>,
  trusted: TrustedSecrets,
  clock: () => number,
): DeviceSignIns {
  const alive = (secret: AuthSecret): DeviceSignIn[] => listIn(secret).filter(({ expiresAt }) => expiresAt > clock())
  const find = async (matches: (each: DeviceSignIn) => boolean): Promise<DeviceSignIn | undefined> => {
    const among = (secret: AuthSecret | undefined) => (secret === undefined ? undefined : alive(secret).find(matches))
    // `undefined` ends a sign-in for good, so it is read live: another replica may have started it a moment ago.
    return among(await trusted.read(signInSecrets.devices)) ?? among(await trusted.readLive(signInSecrets.devices))
  }
  const change = async (decide: (list: DeviceSignIn[]) => DeviceSignIn[]): Promise<boolean> => {
    const saved = await store.edit(signInSecrets.devices, (secret) => withList(secret, decide(alive(secret))))
    return saved !== undefined
  }
  const add = (entry: DeviceSignIn): Promise<boolean> =>
    change((list) => {
      const ofAddress = list.filter(
        ({ from, deviceDigest }) => from === entry.from && deviceDigest !== entry.deviceDigest,
      )
      const full =
        ofAddress.length >= devicePendingPerAddress ? ofAddress : list.length >= devicePendingMax ? list : undefined
      // One that is answered ends earlier.
      if (full !== undefined) throw refuseFor(Math.min(...full.map(({ expiresAt }) => expiresAt)) - clock())
      // One entry, also when the answer to the first write was lost.
      return [...list.filter(({ deviceDigest }) => deviceDigest !== entry.deviceDigest), entry]
    })

  return {
    async start(clientName, address) {
      const deviceCode = mintDeviceCode()
      const userCode = mintUserCode()
      const entry: DeviceSignIn = {
        deviceDigest: codeDigest(deviceCode),
        userDigest: codeDigest(plainUserCode(userCode)),
        clientName,
        from: codeDigest(callerAt(address)),
        expiresAt: clock() + deviceLifetimeSeconds * 1000,
        status: 'pending',
      }
      if (!(await add(entry)) && !(await createFirst(store, entry))) await add(entry)
      return { deviceCode, userCode }
    },
    byUserCode: (userCode) => find(({ userDigest }) => userDigest === codeDigest(plainUserCode(userCode))),
    byDeviceCode: (deviceCode) => find(({ deviceDigest }) => deviceDigest === codeDigest(deviceCode)),
    async answer(userCode, answer) {
      const digest = codeDigest(plainUserCode(userCode))
      let answered: DeviceSignIn | undefined
      await change((list) =>
        list.map((each) => {
          if (each.userDigest !== digest) return each
          if (each.status !== 'pending' && !holds(each, answer))
            throw refuse('this sign-in request was answered already')
          answered = { ...each, ...answer }
          return answered
        }),
      )
      if (answered === undefined) throw new Problem('not_found', 'sign-in request was not found')
      return answered
    },
    async forget(deviceCode) {
      const digest = codeDigest(deviceCode)
      await change((list) => list.filter(({ deviceDigest }) => deviceDigest !== digest))
    },
  }
}

/** Whether an earlier write with a lost answer has stored this answer already. */
function holds(entry: DeviceSignIn, answer: Answer): boolean {
  return entry.status === answer.status && entry.tokenId === answer.tokenId && entry.approvedBy === answer.approvedBy
}

/** False when another replica created the Secret first. */
async function createFirst(store: RecordStore<AuthSecret>, entry: DeviceSignIn): Promise<boolean> {
  try {
    await store.create(authSecret(signInSecrets.devices, 'devices', { pending: JSON.stringify([entry]) }))
    return true
  } catch (error) {
    if (isAlreadyExists(error)) return false
    throw error
  }
}

const listIn = (secret: AuthSecret): DeviceSignIn[] => z.array(stored).parse(jsonOf(secret, 'pending'))
const withList = (secret: AuthSecret, list: DeviceSignIn[]): AuthSecret =>
  withValues(secret, { pending: JSON.stringify(list) })
