/** `POST /auth/device/approve`: step 3 of a device sign-in; the token exists from here on, its value from the next poll. */
import { actorOf } from '../../contract/caller.ts'
import { Problem, refuse } from '../../contract/problem.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

/** "clientName becomes the token name (prefixed with the client label)". */
const clientLabel = 'CLI'

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
