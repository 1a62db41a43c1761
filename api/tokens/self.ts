/** `GET /api/token`: the record of the token that asks. */
import { Problem, refusals } from '../../contract/problem.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const self =
  ({ tokens }: Needs): Handler<'tokens.self'> =>
  async ({ caller }) => {
    const found = await tokens.read(caller.tokenId ?? '')
    if (found === undefined) throw new Problem('unauthenticated', refusals.invalidToken)
    return found
  }
