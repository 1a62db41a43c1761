/** `DELETE /tokens/{id}`: from the next request on, on every replica. */
import { Problem, refusals } from '../../contract/problem.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const revoke =
  ({ tokens }: Needs): Handler<'tokens.revoke'> =>
  async ({ params: { id } }) => {
    if (!(await tokens.revoke(id))) throw new Problem('not_found', refusals.tokenNotFound)
    return { ok: true }
  }
