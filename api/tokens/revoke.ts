/** `DELETE /tokens/{id}`: from the next request on, on every replica. */
import { Problem } from '../../contract/problem.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'

export const revoke =
  ({ tokens }: Needs): Handler<'tokens.revoke'> =>
  async ({ params: { id } }) => {
    if (!(await tokens.revoke(id))) throw new Problem('not_found', 'token was not found')
    return { ok: true }
  }
