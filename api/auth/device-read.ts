/** `GET /auth/device/{code}`: what the approver checks before approving. */
import { Problem } from '../../contract/problem.ts'
import { shownUserCode } from '../../records/auth/device-codes.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

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
