/** Device sign-in, in its four steps. */
import { actorOf } from '../../contract/caller.ts'
import { deviceLifetimeSeconds, devicePollSeconds } from '../../contract/limits.ts'
import { Problem, refuse } from '../../contract/problem.ts'
import { dashboardUrlOf } from '../../kinds/platform/address.ts'
import { codeDigest, shownUserCode } from '../../records/auth/device-codes.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

/** `POST /auth/device`: step 1 of a device sign-in. */
export const deviceStart =
  ({ signIn, tokens, caches }: Needs): Handler<'auth.device-start'> =>
  async ({ params: { clientName }, origin }) => {
    await signIn.deviceStarts.admit(origin.peer)
    await tokens.sweepUnfetched()
    const { deviceCode, userCode } = await signIn.devices.start(clientName.trim(), origin.address)
    const configured = dashboardUrlOf(caches.platformConfig.list()[0]?.spec)
    const verificationUri = `${configured ?? origin.baseUrl}/device`
    return {
      deviceCode,
      userCode,
      verificationUri,
      verificationUriComplete: `${verificationUri}?code=${userCode}`,
      expiresIn: deviceLifetimeSeconds,
      interval: devicePollSeconds,
    }
  }

/** `GET /auth/device/{code}`: the details that an admin checks before the approval. */
export const deviceRead =
  ({ signIn, clock }: Needs): Handler<'auth.device-read'> =>
  async ({ params: { code } }) => {
    const found = await signIn.devices.byUserCode(code)
    if (found === undefined) throw new Problem('not_found', 'sign-in request was not found')
    return {
      userCode: shownUserCode(code),
      clientName: found.clientName,
      status: found.status,
      expiresIn: Math.max(0, Math.round((found.expiresAt - clock()) / 1000)),
    }
  }

/** The name of the token is `clientName` with this label in front (docs/reference/access.md#device-sign-in). */
const clientLabel = 'CLI'

/**
 * `POST /auth/device/approve`: step 3 of a device sign-in; the token exists from here on, its secret part from the next
 * poll.
 */
export const deviceApprove =
  ({ signIn, tokens }: Needs): Handler<'auth.device-approve'> =>
  async ({ params: { userCode, role, expiresInDays, deny }, caller }) => {
    const approvedBy = actorOf(caller)
    if (deny === true) {
      await signIn.devices.answer(userCode, { status: 'denied', approvedBy })
      return { ok: true, denied: true }
    }
    const found = await signIn.devices.byUserCode(userCode)
    if (found === undefined) throw new Problem('not_found', 'sign-in request was not found')
    if (found.status !== 'pending') throw refuse('this sign-in request was answered already')
    const name = found.clientName === '' ? clientLabel : `${clientLabel}: ${found.clientName}`
    const item = await tokens.reserve({ scope: 'workspace', role, name, createdBy: approvedBy, expiresInDays })
    try {
      await signIn.devices.answer(userCode, { status: 'approved', approvedBy, tokenId: item.id })
    } catch (error) {
      await tokens.revoke(item.id)
      throw error
    }
    return { ok: true, item }
  }

const expired = () => new Problem('expired_token', 'the sign-in request is unknown or has expired; start again')

/** `POST /auth/token`: step 4 of a device sign-in, the poll that gets the token, once. */
export const deviceToken =
  ({ signIn, tokens, log }: Needs): Handler<'auth.device-token'> =>
  async ({ params: { deviceCode }, respond }) => {
    respond.header('Cache-Control', 'no-store')
    const found = await signIn.devices.byDeviceCode(deviceCode)
    if (found === undefined) throw expired()
    const wait = signIn.pollPace.tooFast(codeDigest(deviceCode))
    if (wait !== undefined)
      throw new Problem('slow_down', `polling too fast; wait ${wait} seconds between polls`, undefined, wait)
    if (found.status === 'pending')
      throw new Problem('authorization_pending', 'the sign-in request is waiting for approval')
    if (found.status === 'denied') throw new Problem('access_denied', 'the sign-in request was refused')
    const redeemed = found.tokenId === undefined ? undefined : await tokens.redeem(found.tokenId)
    if (redeemed === undefined) throw expired()
    // Only this answer has the text of the token: a failure to remove the sign-in, which expires anyway, must not lose
    // it.
    await signIn.devices.forget(deviceCode).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'a device sign-in could not be deleted after its token was issued')
    })
    const { role, expiresAt } = redeemed.item
    return { token: redeemed.token, tokenType: 'Bearer', role, approvedBy: found.approvedBy ?? '', expiresAt }
  }
