/** `POST /auth/token`: step 4 of a device sign-in, the poll that is answered with the token once. */
import { Problem } from '../../contract/problem.ts'
import { codeDigest } from '../../records/auth/device-codes.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

const expired = () => new Problem('expired_token', 'the sign-in request is unknown or has expired; start again')

export const deviceToken =
  ({ signIn, tokens, log }: Needs): Handler<'auth.device-token'> =>
  async ({ params: { deviceCode }, respond }) => {
    respond.header('Cache-Control', 'no-store')
    const found = await signIn.devices.byDeviceCode(deviceCode)
    if (found === undefined) throw expired()
    const wait = signIn.pollPace.tooFast(codeDigest(deviceCode))
    if (wait !== undefined) throw new Problem('slow_down', `polling too fast; wait ${wait} seconds between polls`)
    if (found.status === 'pending') throw new Problem('authorization_pending', 'the sign-in request is waiting for approval')
    if (found.status === 'denied') throw new Problem('access_denied', 'the sign-in request was refused')
    const redeemed = found.tokenId === undefined ? undefined : await tokens.redeem(found.tokenId)
    if (redeemed === undefined) throw expired()
    // The value exists in this answer alone: a request that stays on the list, and ends with its lifetime, is no reason to lose it.
    await signIn.devices.forget(deviceCode).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'a device sign-in that got its token could not be forgotten')
    })
    const { role, expiresAt } = redeemed.item
    return { token: redeemed.token, tokenType: 'Bearer', role, approvedBy: found.approvedBy ?? '', expiresAt }
  }
